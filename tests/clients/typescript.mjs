// An errand with the TypeScript SDKs, over stdio and HTTP.
// usage: typescript.mjs client|sdk URL COMMAND [ARGUMENT...]   (client: version 2, both eras; sdk: version 1)
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const ACCOUNT = 'ada.berg@example.org';
const QUERY = 'subject:re';

const packages = createRequire(`${process.env.NODE_PACKAGES}/package.json`);
const load = async (name) => import(pathToFileURL(packages.resolve(name)).href);
const check = (good, what) => {
  if (!good) throw new Error(`WRONG ${what}`);
};

async function errand(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  check(tools.some((tool) => tool.name === 'search_emails'), 'tools');
  const call = (name, given) => client.callTool({ name, arguments: { account: ACCOUNT, ...given } });
  const found = await call('search_emails', { query: QUERY });
  const message = found.structuredContent.items[0].id;
  const read = await call('read_email', { email_id: message });
  check(read.content[0].text.includes(message), 'read_email');
  const refused = await call('search_emails', { query: 'no-such-operator:x' });
  check(refused.isError, 'a wrong query');
  const manual = await client.readResource({ uri: 'mailkeep://search-language' });
  check(manual.contents[0].text.includes('has:attachment'), 'resource');
  const prompt = await client.getPrompt({ name: 'reply', arguments: { email_id: message } });
  check(prompt.messages[0].content.text.includes(message), 'prompt');
  await client.close();
}

async function version2(url, command) {
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
  const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
    const transports = {
      stdio: () => new StdioClientTransport({ command: command[0], args: command.slice(1) }),
      http: () => new StreamableHTTPClientTransport(new URL(url)),
    };
    for (const [name, transport] of Object.entries(transports)) {
      const client = new Client({ name: 'errand', version: '1' }, { versionNegotiation: { mode } });
      await errand(client, transport());
      console.log(`${name} ${mode.pin ?? mode}: ok`);
    }
  }
}

async function version1(url, command) {
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
  const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const stdio = new StdioClientTransport({ command: command[0], args: command.slice(1) });
  for (const [name, transport] of [['stdio', stdio], ['http', new StreamableHTTPClientTransport(new URL(url))]]) {
    await errand(new Client({ name: 'errand', version: '1' }), transport);
    console.log(`${name}: ok`);
  }
}

const [kind, url, ...command] = process.argv.slice(2);
await (kind === 'client' ? version2 : version1)(url, command);
