import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { filesBelow } from '../../main/lib/files/files-below.ts'
import { modelKeysFolder } from '../../main/lib/trust/model-keys.ts'
import { capableAnswer, type AskedOfModel } from '../helpers/capable-model.ts'
import { runCli, runCliProcess, smokeProject } from '../helpers/cli.ts'
import { eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import {
  startModelService,
  type ModelService,
  type ModelServiceAnswer,
  type ModelServiceCall,
} from '../helpers/model-service.ts'

/** Texts that appear nowhere else, so that finding none of them means something. */
const KEY = 'canary-stored-key/1+a'
const SECOND = 'canary-second-key-2'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const TRACES = [KEY, SECOND].flatMap((key) => [key, encodeURIComponent(key), base64(key).slice(0, -4)])

let root: string
let env: Record<string, string>
let service: ModelService
/** Holds what the service accepts. */
let accepted = KEY

/** Demands the key, and repeats what it got where it is another one. */
function answer({ method, path, headers, body }: ModelServiceCall): ModelServiceAnswer {
  const got = headers.authorization ?? 'nothing'
  const message = `Incorrect API key provided: ${got} ${base64(got)}`
  if (got !== `Bearer ${accepted}`) return { status: 401, json: { error: { message } } }
  if (path === '/v1/models') return { json: { data: [{ id: 'tiny' }] } }
  // It has no path of a program that runs models, as most services.
  if (method === 'GET') return { status: 404, json: { error: { message: 'not found' } } }
  const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }
  return { json: { id: 'x', created: 0, model: 'tiny', ...capableAnswer(body as AskedOfModel, 'Paris'), usage } }
}

beforeAll(async () => {
  service = await startModelService(answer)
  root = await smokeProject()
  env = { RAG_LADDER_USER_DIR: join(root, 'person') }
})
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

const cli = (args: string[], input: string | null = null) => runCliProcess([...args, '--project', root], env, input)
const models = (args: string[], input: string | null = null) => cli(['models', ...args], input)
/** In this process, which may remember a key: for output and files in which no key is looked for. */
const inProcess = (...args: string[]) => runCli(['models', ...args, '--project', root], env)
const ownFile = (): Promise<string> => readFile(join(root, '.rag-ladder/models.yaml'), 'utf8')
const tracesIn = (text: string): string[] => TRACES.filter((trace) => text.includes(trace))

/** Files below the project with a trace of a key, the person's own folder apart. */
async function filesWithTraces(): Promise<string[]> {
  const all = (await filesBelow(root)).map((name) => join(root, name))
  const files = all.filter((file) => !file.startsWith(modelKeysFolder(env)))
  const found = await Promise.all(
    files.map(async (file) => (tracesIn(await readFile(file, 'latin1')).length > 0 ? [file] : [])),
  )
  return found.flat()
}
const ladder = (runId: string): string[] => [
  'ladder',
  '--dataset',
  'smoke',
  '--models',
  'vanilla-rag',
  '--model-set',
  'lab',
  '--run-id',
  runId,
  '--no-evaluate',
]

it('the test of a service that demands a key reports how to store one', async () => {
  const added = await models(['add', 'lab', '--kind', 'compatible', '--url', `${service.url}/v1`, '--model', 'tiny'])
  expect(added).toMatchObject({ code: 0 })
  const unsent = await models(['test', 'lab'])
  expect(unsent.stdout).toContain('rag-ladder models key set')
  expect((await inProcess('key', 'list')).stdout).toContain(`lab  ● no key needed · ${service.url}/v1`)
})

it('stores a key that is piped in, shows it nowhere, and tests the connection with it', async () => {
  const set = await models(['key', 'set', 'lab'], `${KEY}\n`)
  expect(set).toMatchObject({ code: 0, stderr: '' })
  expect(set.stdout).toBe(`Stored the key of lab for ${service.url}. Test it: rag-ladder models test lab\n`)
  expect(await ownFile()).toContain('api_key: stored')
  const tested = await models(['test', 'lab', '--json'])
  expect(tested.code).toBe(0)
  expect((await inProcess('list')).stdout).toMatch(/lab {2}OpenAI-compatible service · \S+ · key stored/)
  expect((await inProcess('key', 'list')).stdout).toContain('lab  ● stored · ')
  expect(await filesWithTraces()).toEqual([])
})

it('takes no key from the command line, and none that is empty or has blanks', async () => {
  const typed = await models(['key', 'set', 'lab', KEY])
  expect(typed.code).toBe(2)
  for (const text of ['\n', 'two words\n']) expect((await models(['key', 'set', 'lab'], text)).code).toBe(2)
  expect(tracesIn(typed.stdout + typed.stderr)).toEqual([])
  expect((await models(['key', 'set', 'nowhere'], KEY)).stderr).toContain('no connection is named nowhere')
  expect((await models(['test', 'lab'])).code).toBe(0)
})

it('doctor and a run call the service with the stored key, and no artifact of the run has it', async () => {
  expect((await cli(['doctor', '--model-set', 'lab'])).stdout).toContain('The set lab is ready.')
  service.calls.length = 0
  const run = await cli([...ladder('with-key'), '--json'])
  expect(run.code).toBe(0)
  const chats = service.calls.filter(({ path }) => path.endsWith('/chat/completions'))
  expect(chats.length).toBeGreaterThan(0)
  expect(new Set(chats.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEY}`]))
  expect(tracesIn(run.stdout + run.stderr)).toEqual([])
  const bundle = await cli(['bundle', 'export', 'with-key', '--output', join(root, 'run.zip')])
  expect(bundle).toMatchObject({ code: 0 })
  expect((await cli(['export', 'litellm', '--output', join(root, 'litellm.yaml')])).code).toBe(0)
  const { evidence } = artifactFiles(join(root, 'results'), 'with-key', 'smoke')
  expect(await readFile(evidence, 'utf8')).toContain('"tiny"')
  expect(await filesWithTraces()).toEqual([])
})

it('a service that repeats a refused key leaves it in no artifact, and doctor advises to replace it', async () => {
  accepted = 'another key'
  const run = await cli(ladder('refused'))
  const doctor = await cli(['doctor', '--model-set', 'lab'])
  accepted = KEY
  expect(run.code).not.toBe(0)
  expect(doctor.stdout).toContain('Incorrect API key provided: [secret removed]')
  expect(doctor.stdout).toMatch(/Check the stored key of lab .*rag-ladder models key set lab/)
  expect(tracesIn(run.stdout + run.stderr + doctor.stdout + doctor.stderr)).toEqual([])
  expect(await filesWithTraces()).toEqual([])
})

it('a run goes on when its key is stored instead of in a variable, which counts again after the key is removed', async () => {
  const env2 = { ...env, LAB_API_KEY: KEY }
  const add = ['models', 'add', 'lab', '--kind', 'compatible', '--url', `${service.url}/v1`, '--key-env', 'LAB_API_KEY']
  expect((await runCliProcess([...add, '--model', 'tiny', '--project', root], env2)).code).toBe(0)
  const begun = await runCliProcess([...ladder('moved'), '--project', root], env2)
  expect(begun.code).toBe(0)
  expect((await models(['key', 'set', 'lab'], KEY)).code).toBe(0)
  expect(await ownFile()).toContain('api_key_env: LAB_API_KEY\n    api_key: stored')
  const asked = service.calls.filter(({ path }) => path.endsWith('/chat/completions')).length
  // Refused with a conflict if the place of the key counted as another model.
  expect(await cli([...ladder('moved'), '--no-cold-reset'])).toMatchObject({ code: 0 })
  expect(service.calls.filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(asked)
  const removed = await inProcess('key', 'remove', 'lab')
  expect(removed.stdout).toBe('Removed the stored key of lab, which reads LAB_API_KEY again.\n')
  expect(await readdir(modelKeysFolder(env))).toEqual([])
  expect((await inProcess('key', 'remove', 'lab')).code).toBe(2)
  const missing = await cli(['doctor', '--model-set', 'lab'])
  expect(missing.stdout).toContain('the environment variable LAB_API_KEY is not set')
  expect(missing.code).toBe(2)
})

it('a connection that another person sends is missing its key, and the error states how to store one', async () => {
  await models(['key', 'set', 'lab'], KEY)
  const elsewhere = { RAG_LADDER_USER_DIR: join(root, 'another-person') }
  const doctor = await runCliProcess(['doctor', '--model-set', 'lab', '--project', root], elsewhere)
  expect(doctor.code).toBe(2)
  expect(doctor.stdout).toContain('no key is stored for the connection lab at its address (roles ')
  expect(doctor.stdout).toContain('rag-ladder models key set lab')
  const run = await runCliProcess([...ladder('elsewhere'), '--project', root], elsewhere)
  expect(run.code).toBe(2)
})

it('the panel stores, replaces and removes a key, runs with it, and never gets it back', async () => {
  const engine = await startEngine(root, env)
  const { models: calls } = engine.client
  try {
    const answers: string[] = []
    const noted = async <Value>(call: Promise<Value>): Promise<Value> => {
      const value = await call
      answers.push(JSON.stringify(value))
      return value
    }
    const connection = { kind: 'compatible' as const, base_url: `${service.url}/v1` }
    // Before it is saved, with the key just entered, and a wrong one that the service repeats.
    expect(await noted(calls.test({ target: { connection, key: KEY } }))).toMatchObject({ works: true })
    const wrong = await noted(calls.test({ target: { connection, key: SECOND } }))
    expect(wrong.probes[0]!.error).toContain('[secret removed]')
    const added = await noted(calls.add({ name: 'lab', connection, key: KEY }))
    const lab = ({ connections }: typeof added) => connections.find(({ name }) => name === 'lab')
    expect(lab(added)).toMatchObject({ key: 'stored', key_env: null, key_set: true })
    expect(await noted(calls.test({ target: { name: 'lab' } }))).toMatchObject({ works: true })
    // While it is edited, its key is used unless another one is entered; at another address it is not.
    const edited = { ...connection, api_key: 'stored' as const }
    expect(await noted(calls.test({ target: { connection: edited, name: 'lab' } }))).toMatchObject({ works: true })
    const moved = { ...edited, base_url: service.url.replace('127.0.0.1', 'localhost') }
    const asked = service.calls.length
    const unsent = await noted(calls.test({ target: { connection: moved, name: 'lab' } }))
    expect(unsent.problems.join()).toContain('no key is stored for the connection lab')
    expect(service.calls).toHaveLength(asked)

    const request = { run_id: 'panel', dataset_ids: ['smoke'], models: ['vanilla-rag'], model_set: 'lab', metrics: [] }
    const job = await ranToEnd(engine.client, 'panel', () => engine.client.runs.start(request))
    expect(job.state).toBe('completed')
    accepted = SECOND
    await noted(calls.setKey({ name: 'lab', key: SECOND }))
    expect(await noted(calls.test({ target: { name: 'lab' } }))).toMatchObject({ works: true })
    const removed = await noted(calls.setKey({ name: 'lab', key: null }))
    expect(lab(removed)).toMatchObject({ key: 'none' })
    const events = await eventsUntil(engine.client, { after: 0 }, (event) => event.type === 'experiment.changed')
    expect(tracesIn(answers.join() + JSON.stringify(events) + engine.errors())).toEqual([])
    expect(await filesWithTraces()).toEqual([])
  } finally {
    accepted = KEY
    await engine.stop()
  }
})

it('removing a connection removes its key', async () => {
  await inProcess('add', 'second', '--kind', 'compatible', '--url', `${service.url}/v1`)
  await models(['key', 'set', 'second'], KEY)
  expect((await inProcess('remove', 'second')).stdout).toContain('and its stored key')
  expect(await readdir(modelKeysFolder(env))).toEqual([])
})

it('a key of an address that has changed is listed, and removed by that address', async () => {
  await models(['key', 'set', 'openai'], KEY)
  expect(await ownFile()).toMatch(
    /openai:\n\s+kind: openai\n\s+base_url: \$\{OPENAI_BASE_URL[^\n]*\n\s+api_key: stored/,
  )
  const moved = { ...env, OPENAI_BASE_URL: 'https://other.example/v1' }
  const found = await runCli(['models', 'key', 'list', '--project', root], moved)
  expect(found.stdout).toContain('▲ not stored: rag-ladder models key set openai')
  expect(found.stdout).toContain('openai  https://api.openai.com · to remove it: ')
  expect((await inProcess('key', 'remove', 'openai')).stdout).toContain('which reads OPENAI_API_KEY again')
  // Nothing of the person's own is left of it.
  expect(await ownFile()).not.toContain('openai')
  await models(['key', 'set', 'openai'], KEY)
  await runCli(['models', 'key', 'remove', 'openai', '--url', 'https://api.openai.com', '--project', root], moved)
  expect(await readdir(modelKeysFolder(env))).toEqual([])
})
