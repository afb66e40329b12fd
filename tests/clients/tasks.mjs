// The published client of MCP tasks waits for a person, in both revisions that have tasks: a proposal is rejected with a
// reason while it waits, and one is cancelled. Over stdio; the modern era through a dispatch of our own, whose every answer
// is held against the published schemas.
// usage: tasks.mjs MAILKEEP
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [mailkeep] = process.argv.slice(2);
const packages = createRequire(`${process.env.NODE_PACKAGES}/package.json`);
const load = async (name) => import(pathToFileURL(packages.resolve(name)).href);
// It is for `import` alone, which finds no packages elsewhere.
const tasks = async (part) => import(pathToFileURL(`${process.env.NODE_PACKAGES}/@modelcontextprotocol/ext-tasks/dist/${part}/index.js`).href);
const check = (good, what) => {
  if (!good) throw new Error(`WRONG ${what}`);
};

const ACCOUNT = 'ada.berg@example.org';
const place = mkdtempSync(join(tmpdir(), 'tasks-'));
const home = join(place, 'home');
const run = (...words) => execFileSync(mailkeep, ['--home', home, ...words], { encoding: 'utf8' });
const letter = (body) => ({ account: ACCOUNT, to: ['bob@example.org'], subject: 'Lunch', body });

// The person says no to everything that waits.
function reject(reason) {
  const { items } = JSON.parse(run('--json', 'outbox', 'list', '--pending'));
  check(items.length === 1, `${items.length} items wait`);
  run('outbox', 'reject', items[0].id, '--reason', reason);
}

async function waits(session, name) {
  const { resultFromTaskOutcome } = await tasks('client');
  const execution = await session.callTool('send_email', letter(`Rejected ${name}`), { task: { preference: 'require' } });
  setTimeout(() => reject('not so formal'), 700);
  const { outcome } = await execution.settle();
  const result = resultFromTaskOutcome(outcome);
  check(result.structuredContent.status === 'rejected', JSON.stringify(result));
  check(result.structuredContent.reason === 'not so formal', JSON.stringify(result));
  const plain = await (await session.callTool('list_drafts', {})).settle();
  check(resultFromTaskOutcome(plain.outcome).content[0].text, 'a tool that does not wait');
}

async function withHandshake() {
  const { Client } = await load('@modelcontextprotocol/client');
  const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
  const { createTaskSessionFromClient, toolDeclarationFromMcpTool } = await tasks('client');
  const client = new Client({ name: 'tasks', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StdioClientTransport({ command: mailkeep, args: ['--home', home, 'mcp'], env: process.env }));
  const listed = new Map((await client.listTools()).tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
  const tools = { currentTool: (name) => listed.get(name) };
  const session = createTaskSessionFromClient(client, { endpointId: 'mailkeep', tools });
  await waits(session, '2025-11-25');
  await session.close();
  await client.close();
  console.log('2025-11-25: ok');
}

// Sends what it is given and hands back what is answered, one at a time.
function line() {
  const server = spawn(mailkeep, ['--home', home, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let next = 1;
  createInterface({ input: server.stdout }).on('line', (text) => {
    const { id, result, error } = JSON.parse(text);
    waiting.get(id)?.(error ? { kind: 'error', error } : { kind: 'result', result });
    waiting.delete(id);
  });
  const ask = (request) => new Promise((resolve) => {
    const id = next++;
    waiting.set(id, resolve);
    server.stdin.write(`${JSON.stringify({ ...request, jsonrpc: '2.0', id })}\n`);
  });
  return { ask, close: () => server.stdin.end() };
}

const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tasks', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
};

async function withoutHandshake() {
  const schemas = await tasks('core/v2');
  const { ask, close } = line();
  const fits = (schema, value, what) => {
    const read = schemas[schema].safeParse(value);
    check(read.success, `${what} is no ${schema}: ${JSON.stringify(value)} ${read.error}`);
    return value;
  };
  const request = async (method, params) => (await ask({ method, params: { ...params, _meta: META } })).result;
  const discovered = await request('server/discover', {});
  check(schemas.hasTaskServerCapabilityV2(discovered.capabilities), 'the extension is announced');
  const propose = async (body) => fits('CreateTaskResultV2Schema', await request('tools/call', { name: 'send_email', arguments: letter(body) }), 'a task');
  const get = async (taskId) => fits('GetTaskResultV2Schema', await request('tasks/get', { taskId }), 'what became of it');

  const first = await propose('Rejected 2026-07-28');
  check((await get(first.taskId)).status === 'working', 'it waits');
  fits('UpdateTaskResultV2Schema', await request('tasks/update', { taskId: first.taskId, inputResponses: {} }), 'an update');
  reject('not so formal');
  const ended = await get(first.taskId);
  check(ended.status === 'completed' && ended.result.structuredContent.reason === 'not so formal', JSON.stringify(ended));
  fits('CallToolResultV2Schema', { resultType: 'complete', ...ended.result }, 'the result');
  const second = await propose('Cancelled 2026-07-28');
  fits('CancelTaskResultV2Schema', await request('tasks/cancel', { taskId: second.taskId }), 'a cancellation');
  check((await get(second.taskId)).status === 'cancelled', 'it is cancelled');
  close();
  console.log('2026-07-28: ok');
}

try {
  mkdirSync(join(place, 'sent'));
  run('demo', '--once');
  run('account', 'set', ACCOUNT, '--send-folder', join(place, 'sent'));
  // What the sample proposes itself.
  reject('not now');
  await withHandshake();
  await withoutHandshake();
} finally {
  rmSync(place, { recursive: true, force: true });
}
