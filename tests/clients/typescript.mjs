// The errand with the TypeScript SDKs, over stdio and HTTP.
// usage: typescript.mjs client|sdk URL COMMAND [ARGUMENT...]   (client: version 2, both eras; sdk: version 1)
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const ERRAND = JSON.parse(readFileSync(new URL('errand.json', import.meta.url)));

const packages = createRequire(`${process.env.NODE_PACKAGES}/package.json`);
const load = async (name) => import(pathToFileURL(packages.resolve(name)).href);
const check = (good, what) => {
  if (!good) throw new Error(`WRONG ${what}`);
};

async function callAll(client, names) {
  const kept = {};
  const filledIn = (value) => (typeof value === 'string' && value.startsWith('$') ? kept[value.slice(1)] : value);
  for (const { tool, arguments: given, keep } of ERRAND.calls) {
    check(names.includes(tool), `${tool} is not listed`);
    const entries = Object.entries(given).map(([name, value]) => [name, filledIn(value)]);
    const answer = await client.callTool({ name: tool, arguments: Object.fromEntries(entries) });
    check(!answer.isError && answer.content[0].text && answer.structuredContent, `${tool}: ${answer.content[0].text}`);
    for (const [name, path] of Object.entries(keep ?? {})) {
      kept[name] = path.reduce((found, step) => found[step], answer.structuredContent);
    }
  }
  return kept;
}

async function errand(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const { message } = await callAll(client, tools.map((tool) => tool.name));
  const refused = await client.callTool({ name: ERRAND.wrong.tool, arguments: ERRAND.wrong.arguments });
  check(refused.isError, 'a wrong call');
  const manual = await client.readResource({ uri: ERRAND.resource });
  check(manual.contents[0].text, 'resource');
  const prompt = await client.getPrompt({ name: ERRAND.prompt, arguments: { email_id: message } });
  check(prompt.messages[0].content.text.includes(message), 'prompt');
  await client.close();
}

async function version2(url, command) {
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
  const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
  const transports = {
    stdio: () => new StdioClientTransport({ command: command[0], args: command.slice(1) }),
    http: () => new StreamableHTTPClientTransport(new URL(url)),
  };
  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
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
