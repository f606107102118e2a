import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OwnApproachDraft } from '../../contract/control/own-approaches.ts'
import { smokeProject } from '../helpers/cli.ts'
import { failureOf, startEngine, type EngineProcess } from '../helpers/engine-process.ts'
import { json, startFaultServer, type FaultServer } from '../helpers/fault-server.ts'

let root: string
let server: FaultServer
let engine: EngineProcess

beforeAll(async () => {
  root = await smokeProject()
  server = await startFaultServer()
  engine = await startEngine(root, { RAG_LADDER_USER_DIR: join(root, 'person') })
})
afterAll(async () => {
  await engine.stop()
  await server.close()
  await rm(root, { recursive: true, force: true })
})

const mapping = { answer: 'reply.text', contexts: { list: 'sources[]', text: 'body', document: 'file' } }
const chat = (reply: OwnApproachDraft = mapping): OwnApproachDraft => ({
  kind: 'chat',
  url: `${server.url}/ask`,
  body: { q: '{{question}}' },
  reply,
})
const REPLY = { reply: { text: 'In Falmouth.' }, sources: [{ body: 'The harbour is in Falmouth.', file: 'a.md' }] }

it('a draft is tested before it is saved: answer, passages, and the paths of the reply to choose from', async () => {
  const { approaches } = engine.client
  server.script(json(REPLY))
  const blind = await approaches.test({ target: { approach: chat({ answer: 'text' }) } })
  expect(blind).toMatchObject({ answer: null, problem: expect.stringContaining('text') as string })
  expect(blind.paths).toEqual([
    { path: 'reply.text', value: '"In Falmouth."' },
    { path: 'sources[].body', value: '"The harbour is in Falmouth."' },
    { path: 'sources[].file', value: '"a.md"' },
  ])
  const seen = await approaches.test({ target: { approach: chat() }, question: 'Where?' })
  expect(seen).toMatchObject({
    question: 'Where?',
    problem: null,
    answer: 'In Falmouth.',
    passage_count: 1,
    passages: [{ text: 'The harbour is in Falmouth.', document: 'a.md' }],
    not_evaluable: ['cost: it reports no tokens'],
  })
  expect(JSON.parse(server.requests.at(-1)!.body)).toEqual({ q: 'Where?' })
  expect(existsSync(join(root, 'approaches'))).toBe(false)
})

it('a draft that cannot be used is refused at its field, and leaves no file', async () => {
  const { approaches } = engine.client
  const save = (name: string, approach: OwnApproachDraft) => failureOf(approaches.save({ name, approach }))
  expect(await save('bm25', chat())).toMatchObject({
    code: 'input_invalid',
    details: { problems: [{ path: 'name', message: expect.stringContaining('is taken') as string }] },
  })
  expect(await save('mine', { ...chat(), url: 'http://name:key@lab/' })).toMatchObject({
    details: { problems: [{ path: 'url' }] },
  })
  expect(await save('mine', { ...chat(), body: {} })).toMatchObject({ details: { problems: [{ path: 'body' }] } })
  expect(existsSync(join(root, 'approaches/mine.yaml'))).toBe(false)
})

it('a saved approach is allowed, offered for a run, and gone when it is removed', async () => {
  const { approaches, experiment } = engine.client
  const offered = async () => (await experiment.get()).aliases.some(({ alias }) => alias === 'mine')
  const [saved] = await approaches.save({ name: 'mine', approach: chat() })
  expect(saved).toMatchObject({ name: 'mine', kind: 'chat', called: `${server.url}/ask`, allowed: true, problems: [] })
  expect(await readFile(join(root, 'approaches/mine.yaml'), 'utf8')).toBe(saved!.text)
  expect(await offered()).toBe(true)
  server.script(json(REPLY))
  expect(await approaches.test({ target: { name: 'mine' } })).toMatchObject({ answer: 'In Falmouth.' })
  expect(await approaches.remove({ name: 'mine' })).toEqual([])
  expect(await offered()).toBe(false)
})

it('a file of another user is run by nothing until its content is allowed, and not after it changed', async () => {
  const { approaches, experiment } = engine.client
  const marker = join(root, 'was-run')
  const file = join(root, 'approaches/theirs.yaml')
  const command = (more: string) =>
    `version: 1\nkind: command\ncommand: [node, -e, "require('fs').writeFileSync('${marker}', '')"]\ntimeout_s: 5\n${more}`
  await mkdir(join(root, 'approaches'), { recursive: true })
  await writeFile(file, command(''))
  const [shown] = await approaches.list()
  expect(shown).toMatchObject({ name: 'theirs', kind: 'command', allowed: false, text: command('') })
  expect(await failureOf(approaches.test({ target: { name: 'theirs' } }))).toMatchObject({ code: 'input_invalid' })
  const plan = await experiment.plan({ dataset_ids: ['smoke'], models: ['theirs'] })
  expect(JSON.stringify(plan)).toContain('you have not allowed it')
  // It was exchanged after the person had read it.
  await writeFile(file, command('about: exchanged\n'))
  expect(await failureOf(approaches.allow({ name: 'theirs', digest: shown!.digest! }))).toMatchObject({
    message: expect.stringContaining('has changed since it was shown') as string,
  })
  expect(existsSync(marker)).toBe(false)
  const [again] = await approaches.list()
  expect(await approaches.allow({ name: 'theirs', digest: again!.digest! })).toMatchObject([{ allowed: true }])
  await approaches.test({ target: { name: 'theirs' } })
  expect(existsSync(marker)).toBe(true)
  await approaches.remove({ name: 'theirs' })
})

it('a dataset of another user brings no approach: neither as a zip file nor as a folder', async () => {
  const { approaches, datasets, experiment } = engine.client
  const marker = join(root, 'was-run-by-a-dataset')
  const evil = `version: 1\nkind: command\ncommand: [node, -e, "require('fs').writeFileSync('${marker}', '')"]\n`
  const packed = zipSync({
    'dataset.yaml': Buffer.from('version: 1\nlabel: Nice\n'),
    'documents/a.md': Buffer.from('Text.'),
    'approaches/evil.yaml': Buffer.from(evil),
  })
  const upload = { file_name: 'nice.zip', base64: Buffer.from(packed).toString('base64'), id: 'nice' }
  expect(await failureOf(datasets.uploadZip(upload))).toMatchObject({ code: 'input_invalid' })
  // As documents they are texts, wherever they lie in their folder.
  await datasets.create({ id: 'texts', label: 'Texts' })
  await failureOf(datasets.addDocument({ dataset_id: 'texts', name: '../../approaches/evil.yaml', text: evil }))
  await datasets.addDocument({ dataset_id: 'texts', name: 'evil.yaml', text: evil })
  expect(await approaches.list()).toEqual([])
  expect((await experiment.get()).aliases.filter(({ base }) => base === 'own-approach')).toEqual([])
  expect(existsSync(marker)).toBe(false)
})
