import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { ModelTest } from '../../contract/control/models.ts'
import { capableAnswer, type AskedOfModel } from '../helpers/capable-model.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'

let root: string
let user: string
let server: Server
let address: string
const keys: (string | undefined)[] = []
const models = (...args: string[]) =>
  runCli(['models', ...args, '--project', root], { RAG_LADDER_USER_DIR: user, OTHER_API_KEY: 'k-0123456789' })
const file = (): string => join(root, '.rag-ladder/models.yaml')

beforeAll(async () => {
  ;[root, user] = [await smokeProject(), await mkdtemp(join(tmpdir(), 'models-command-'))]
  // Lists two models, answers chats, and has no embeddings.
  server = createServer((request, response) => {
    void (async () => {
      const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
      keys.push(request.headers.authorization)
      if (request.url === '/v1/models') return void response.end('{"data": [{"id": "tiny"}, {"id": "bge-small"}]}')
      if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end('Not Found')
      const asked = JSON.parse(text) as AskedOfModel
      const refusal = {
        error: { message: "Unsupported value: 'temperature' does not support 0", param: 'temperature' },
      }
      if (asked.temperature !== undefined) return void response.writeHead(400).end(JSON.stringify(refusal))
      response.end(JSON.stringify({ ...capableAnswer(asked), usage: { prompt_tokens: 9, completion_tokens: 5 } }))
    })()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  server.close().closeAllConnections()
  await Promise.all([root, user].map((folder) => rm(folder, { recursive: true, force: true })))
})

it('adds a connection with a set, tests it with its key, and makes the set the default', async () => {
  const tracked = await readFile(join(root, 'manifests/models.yaml'), 'utf8')
  const added = await models(
    'add',
    'lab',
    '--kind',
    'compatible',
    '--url',
    address,
    '--key-env',
    'OTHER_API_KEY',
    '--model',
    'tiny',
  )
  expect(added).toMatchObject({ code: 0 })
  expect(await readFile(file(), 'utf8')).not.toContain('k-0123456789')
  expect(await readFile(join(root, 'manifests/models.yaml'), 'utf8')).toBe(tracked)

  const tested = await models('test', 'lab', '--json')
  expect(tested.code).toBe(0)
  const { probes } = (JSON.parse(tested.stdout) as { lab: ModelTest }).lab
  expect(probes.map(({ probe, status, model }) => `${probe} ${status} ${model}`)).toEqual([
    'chat adapted tiny',
    'structured passed tiny',
    'extraction passed tiny',
    'critic passed tiny',
    'tools passed tiny',
  ])
  expect(new Set(keys)).toEqual(new Set(['Bearer k-0123456789']))
  const words = (await models('test', 'lab')).stdout
  expect(words).toContain('lab  works\n')
  expect(words).toMatch(/● works: answers · tiny · [\d.]+ tokens\/s; it refuses temperature, which is left out · /)
  expect(words).toMatch(/ {4}tiny at http:\S+: refuses temperature · /)
  const connection = await models('test', 'lab', '--model', 'tiny')
  expect([connection.code, connection.stdout]).toEqual([
    0,
    expect.stringContaining('● works: list of models · 2 models'),
  ])
  expect(connection.stdout).toMatch(/● works: verdicts of a judge · tiny · prefers the right answer in both orders/)

  expect((await models('list')).stdout).toMatch(/ {2}tiny at http:\S+: refuses temperature/)
  expect(await models('forget', 'tiny')).toMatchObject({ code: 0 })
  expect((await models('list')).stdout).not.toContain('refuses temperature')
  expect(await models('forget', 'tiny')).toMatchObject({ code: 2 })

  expect(await models('use', 'lab')).toMatchObject({ code: 0 })
  expect((await models('list')).stdout).toContain('lab (default, your own)  tiny, hashed-768')
})

it('doctor reports a set whose models answer as ready, and names the first thing that is wrong with what to do', async () => {
  const doctor = (env: Record<string, string> = {}) =>
    runCli(['doctor', '--project', root], { RAG_LADDER_USER_DIR: user, OTHER_API_KEY: 'k-0123456789', ...env })
  const ready = await doctor()
  expect(ready.stdout).toMatch(
    /● answers · tiny · [\d.]+ tokens\/s; it refuses temperature, which is left out · [\d.]+ m?s\n/,
  )
  expect(ready.stdout).toMatch(/● tiny at http:\S+: refuses temperature · .*\nThe set lab is ready\.\n$/)
  expect(ready.code).toBe(0)
  const withoutKey = await doctor({ OTHER_API_KEY: '' })
  expect(withoutKey.stdout).toContain('the environment variable OTHER_API_KEY is not set')
  expect(withoutKey.code).toBe(2)
  const other = await doctor({ RAG_MODEL_SET: 'local-gguf', RAG_LADDER_GGUF_FILE: '/nowhere/model.gguf' })
  expect(other.stdout).toContain('Correct this first: /nowhere/model.gguf.')
  expect(other.code).toBe(5)
  const unembedded = (await readFile(file(), 'utf8')).replace(
    /embed:\s+backend: builtin\s+model: hashed-768/,
    'embed: { connection: lab, model: bge-small }',
  )
  const before = await readFile(file(), 'utf8')
  await writeFile(file(), unembedded)
  const embedding = await doctor()
  await writeFile(file(), before)
  expect(embedding.stdout).toMatch(/▲ embeddings · bge-small · .*HTTP 404/)
  expect(embedding.code).toBe(5)
  const reranked = before.replace(
    /rerank:\s+backend: builtin\s+model: lexical-reranker/,
    'rerank: { backend: tei, model: bge-reranker, base_url: "http://127.0.0.1:1" }',
  )
  expect(reranked).not.toBe(before)
  await writeFile(file(), reranked)
  const unreachable = await doctor()
  await writeFile(file(), before)
  expect(unreachable.stdout).toContain('▲ rerank · bge-reranker · GET http://127.0.0.1:1/health: cannot be reached (')
  expect(unreachable.code).toBe(5)
})

it('a model of the set that serves as a judge is tested as one, and a name that the set does not have is refused', async () => {
  const judged = (name: string, names: string) =>
    runCli([...(name === 'doctor' ? ['doctor'] : ['models', 'test', 'lab']), '--project', root], {
      RAG_LADDER_USER_DIR: user,
      OTHER_API_KEY: 'k-0123456789',
      JUDGE_MODELS: names,
    })
  const tested = await judged('test', 'tiny,builtin-lexical-support')
  expect(tested.stdout).toMatch(
    /● works: verdicts of a judge · tiny · prefers the right answer in both orders · [^\n]* \(judge\)/,
  )
  expect(tested.stdout).toMatch(/tiny at http:\S+: .*judges alike in both orders/)
  const unknown = await judged('test', 'tiny,qwen-large')
  expect(unknown.stdout).toContain('the set lab has no model of this name that writes')
  expect(unknown.stdout).toContain('Cannot work: judge.')
  expect(unknown.code).toBe(5)
  const doctor = await judged('doctor', 'tiny,qwen-large')
  expect(doctor.stdout).toContain('● verdicts of a judge · tiny · prefers the right answer in both orders')
  expect(doctor.stdout).toContain('Correct this first: verdicts of a judge · qwen-large.')
})

it('a judge at an endpoint of its own is tested there, with the key for judges only', async () => {
  keys.length = 0
  const { stdout, code } = await runCli(['models', 'test', 'lab', '--project', root], {
    RAG_LADDER_USER_DIR: user,
    OTHER_API_KEY: 'k-0123456789',
    JUDGE_MODELS: 'tiny',
    JUDGE_ENDPOINT: address.replace('127.0.0.1', 'localhost'),
    JUDGE_API_KEY: 'j-9876543210',
  })
  expect(stdout).toMatch(/● works: verdicts of a judge · tiny · prefers the right answer in both orders/)
  expect(code).toBe(0)
  expect(new Set(keys)).toEqual(new Set(['Bearer k-0123456789', 'Bearer j-9876543210']))
})

it('doctor asks every service that a variable names, also where the set cannot be used', async () => {
  const asked: string[] = []
  const other = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
    const status = { '/healthz': 502, '/v1/models': 401, '/api/version': 401 }[request.url ?? ''] ?? 200
    response.writeHead(status).end('{}')
  })
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  const env = {
    GRAPHENGINE_URL: url,
    WORKFLOW_URL: url,
    MATRIX_GATEWAY_URL: url,
    MATRIX_GATEWAY_API_KEY: 'wrong-key-0123',
  }
  const checked = await runCli(['doctor', '--project', root], {
    RAG_LADDER_USER_DIR: user,
    OTHER_API_KEY: '',
    STT_ENDPOINT: 'http://127.0.0.1:1',
    TTS_ENDPOINT: 'ftp://speech',
    RAY_URL: url,
    RAY_AUTH_TOKEN: 'wrong-token-0123',
    S3_ENDPOINT: url,
    MATRIX_EVIDENCE_URL: 'postgres://doctor:very-secret@127.0.0.1:1/rows',
    DATABASE_URL: 'file:records',
    ...env,
  })
  other.close().closeAllConnections()
  const lines = checked.stdout.trimEnd().split('\n')
  expect(lines[0]).toContain('▲ model set: ')
  expect(lines.slice(1, -1)).toEqual([
    `▲ gateway · GET ${url}/v1/models: answered HTTP 401: it does not accept the credential`,
    `● graph engine · GET ${url}/health`,
    `▲ workflow engine · GET ${url}/healthz: answered HTTP 502`,
    `▲ Ray cluster · GET ${url}/api/version: answered HTTP 401: it does not accept the credential`,
    `● object store · GET ${url}`,
    expect.stringMatching(/^▲ speech to text · GET http:\S+1\/health: cannot be reached \(/),
    '▲ text to speech · TTS_ENDPOINT: is not a usable address',
    expect.stringMatching(/^▲ rows of runs · postgres:\S+1\/rows: .*ECONNREFUSED/),
    '▲ records of the platform · DATABASE_URL: is not a usable address',
  ])
  expect(lines.at(-1)).toContain('Correct this first: model set.')
  expect(checked.code).toBe(2)
  for (const secret of ['wrong-key-0123', 'wrong-token-0123', 'very-secret'])
    expect(checked.stdout).not.toContain(secret)
  expect(asked.toSorted()).toEqual([
    'GET / -',
    'GET /api/version Bearer wrong-token-0123',
    'GET /health -',
    'GET /healthz -',
    'GET /v1/models Bearer wrong-key-0123',
  ])
})

it('asks a service that the project names once its address is allowed, and reports it before', async () => {
  const asked: string[] = []
  const store = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('{}')
  })
  await new Promise<void>((done) => store.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(store.address() as AddressInfo).port}`
  const named = join(root, 'manifests/connections.yaml')
  await writeFile(named, `version: 1\nservices: { vector_store: "${url}" }\n`)
  const doctor = (env: Record<string, string> = {}) =>
    runCli(['doctor', '--project', root], { RAG_LADDER_USER_DIR: user, OTHER_API_KEY: 'k-0123456789', ...env })
  const before = await doctor()
  expect(before.stderr).toContain(
    `warning: manifests/connections.yaml: services.vector_store: ${url} is not used, because you have not allowed it: rag-ladder trust ${url}`,
  )
  expect([before.stdout.includes('vector store'), asked]).toEqual([false, []])
  const allowed = await doctor({ RAG_LADDER_TRUSTED_ADDRESSES: url })
  expect(allowed.stdout).toContain(`● vector store · GET ${url}/v1/.well-known/ready`)
  expect([allowed.stderr, asked]).toEqual(['', ['/v1/.well-known/ready']])
  await writeFile(named, 'version: 1\nservices: { blender: "http://a.example" }\n')
  const refused = await doctor()
  await rm(named)
  store.close().closeAllConnections()
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('manifests/connections.yaml cannot be used'),
  ])
})

it('sends no key to an address that only a file names, and explains how to allow it', async () => {
  const before = await readFile(file(), 'utf8')
  await writeFile(file(), before.replaceAll('127.0.0.1', 'localhost'))
  const asked = keys.length
  const tested = await models('test', 'lab')
  await writeFile(file(), before)
  expect(tested.code).toBe(5)
  expect(tested.stdout).toContain('OTHER_API_KEY is not sent to http://localhost:')
  expect(keys).toHaveLength(asked)
})

it('keeps comments of the file, and refuses an edit that would leave a set without its connection', async () => {
  const before = await readFile(file(), 'utf8')
  const second = 'sets:\n  second:\n    default: { connection: lab, model: tiny }\n'
  const withSet = `# mine\n${before.replace('sets:\n', second)}`
  await writeFile(file(), withSet)
  const removed = await models('remove', 'lab')
  expect(removed.code).toBe(2)
  expect(removed.stderr.replaceAll(/\s+/g, ' ')).toContain('sets.second.default.connection: no connection is named lab')
  expect(await readFile(file(), 'utf8')).toBe(withSet)
  expect(await models('add', 'home', '--kind', 'ollama')).toMatchObject({ code: 0 })
  expect(await readFile(file(), 'utf8')).toMatch(/^# mine\n[\s\S]* {2}home:\n {4}kind: ollama\n/)
})

it('asks for the address of a kind of service that has no usual one', async () => {
  const refused = await models('add', 'elsewhere', '--kind', 'compatible')
  expect(refused.code).toBe(2)
  expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(
    'name the address of the service with --url: kind compatible has no usual one; example: --url http://127.0.0.1:8080/v1',
  )
})

it('removes its own connections, and leaves those of the project', async () => {
  expect(await models('remove', 'home')).toMatchObject({ code: 0 })
  const refused = await models('remove', 'ollama')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('ollama belongs to the project')
})

it('add refuses what is no address of a service, and the name of a set of the project', async () => {
  const file = () => readFile(join(root, '.rag-ladder/models.yaml'), 'utf8').catch(() => '')
  const before = await file()
  const add = (name: string, url: string) => models('add', name, '--kind', 'compatible', '--url', url, '--model', 'm')
  for (const [name, url, problem] of [
    ['odd', 'ftp://x', 'address: expected an http or https address'],
    ['odd', 'somewhere', 'address: expected an http or https address'],
    ['odd', 'http://me:pw@127.0.0.1:1/v1', 'address: remove user name and password from the address'],
    ['odd', 'http://127.0.0.1:1/v1?api_key=x', 'address: remove the query parameter api_key from the address'],
    ['builtin', 'http://127.0.0.1:1/v1', 'the set builtin belongs to the project: choose another name'],
  ] as const) {
    const refused = await add(name, url)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(problem)])
    expect(refused.stdout + refused.stderr).not.toContain('me:pw')
  }
  expect(await file()).toBe(before)
})

it('test and price name what they do not know', async () => {
  const unknown = await models('test', 'nope')
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/no set or connection is named nope; the sets are builtin, .*, the connections ollama, /),
  ])
  const unnamed = await models('price', 'nosuchmodel', '--input', '5')
  expect([unnamed.code, unnamed.stderr]).toEqual([
    2,
    expect.stringMatching(
      /no model set has the model nosuchmodel, and no judge of \S+ is named so; the known ones are .*tiny/s,
    ),
  ])
  const nameless = await models('price', ' ', '--input', '1')
  expect([nameless.code, nameless.stderr]).toEqual([2, expect.stringContaining('name the model')])
})

it('add takes the address of the chat route for that of its service, and says what it replaces', async () => {
  const add = () =>
    models('add', 'full', '--kind', 'compatible', '--url', 'http://127.0.0.1:1/v1/chat/completions', '--model', ' m ')
  const added = await add()
  expect([added.code, added.stdout]).toEqual([0, expect.not.stringContaining('in place of')])
  const written = parse(await readFile(join(root, '.rag-ladder/models.yaml'), 'utf8')) as {
    connections: Record<string, unknown>
    sets: Record<string, { default: unknown }>
  }
  expect(written.connections['full']).toEqual({ kind: 'compatible', base_url: 'http://127.0.0.1:1/v1' })
  expect(written.sets['full']!.default).toEqual({ connection: 'full', model: 'm' })
  const again = await add()
  expect(again.stdout).toContain('Added the set full in place of the one of that name.')
  expect((await models('remove', 'full')).code).toBe(0)
})
