import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { recordWords } from '../../contract/manifests/model-record.ts'
import { forgetModel, keptRecord, keptRecords, KnownModels } from './known-models.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'

const ADDRESS = 'http://user:secret-word@service.test/v1/'
let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('known-models')
})

const refusal = { status: 400, text: "Unsupported value: 'temperature'", param: 'temperature' }
const sent = { model: 'm', messages: [], temperature: 0 }
const known = (model = 'm') => new KnownModels(folder).of(ADDRESS, model)

it('what was learned of a model holds at the next start, for this model at this address', () => {
  known().learnRefusal(refusal, sent)
  expect(known().fit(sent)).toEqual({ model: 'm', messages: [] })
  expect(known('other').fit(sent)).toEqual(sent)
  expect(new KnownModels(folder).of('http://other.test/v1', 'm').fit(sent)).toEqual(sent)
  const [file] = readdirSync(folder)
  expect(readFileSync(join(folder, file!), 'utf8')).not.toContain('secret-word')
})

it('calls that were sent together and refused for one field are all made again without it', () => {
  const model = known()
  const system = { model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] }
  const refusals = [sent, sent].map((body) => model.learnRefusal(refusal, body))
  expect(refusals).toEqual([true, true])
  const words = { status: 400, text: 'System role not supported', param: null }
  expect([system, system].map((body) => model.learnRefusal(words, body))).toEqual([true, true])
  // The request as the model takes it is refused for something else.
  expect(model.learnRefusal(refusal, model.fit(sent))).toBe(false)
  expect(model.learnRefusal(words, model.fit(system))).toBe(false)
})

it('what two processes learn of one model is joined', () => {
  const [one, other] = [known(), known()]
  one.learnRefusal(refusal, sent)
  other.learn({ finish_reasons: ['stop'], dimensions: 4 })
  one.learn({ finish_reasons: ['length'] })
  expect(keptRecord(folder, ADDRESS, 'm')).toMatchObject({
    refused: { temperature: refusal.text },
    finish_reasons: ['stop', 'length'],
    dimensions: 4,
  })
})

it('a limit is of an earlier process until this one learns it, and that can be dropped once', () => {
  known().learn({ context_window: 4096, dimensions: 4 })
  const model = known()
  expect([model.record.context_window, model.isKept('context_window')]).toEqual([4096, true])
  expect([model.dropKept('context_window'), model.dropKept('context_window')]).toEqual([true, false])
  expect(keptRecord(folder, ADDRESS, 'm')).toMatchObject({ context_window: null, dimensions: 4 })
  model.learn({ context_window: 4096 })
  expect([model.isKept('context_window'), model.dropKept('context_window')]).toEqual([false, false])
  const confirmed = known()
  confirmed.learn({ context_window: 4096 })
  expect(confirmed.isKept('context_window')).toBe(false)
})

it('an output limit of an earlier process is dropped by a request that asks for a longer answer', () => {
  known().learn({ max_output_tokens: 512 })
  const model = known()
  model.dropExceeded({ model: 'm', max_tokens: 512 })
  expect(model.fit({ max_tokens: 512 })).toEqual({ max_tokens: 512 })
  expect(model.record.max_output_tokens).toBe(512)
  model.dropExceeded({ model: 'm', max_completion_tokens: 4096 })
  expect(model.fit({ max_tokens: 4096 })).toEqual({ max_tokens: 4096 })
  model.learn({ max_output_tokens: 1024 })
  model.dropExceeded({ model: 'm', max_tokens: 4096 })
  expect(model.fit({ max_tokens: 4096 })).toEqual({ max_tokens: 1024 })
})

it('what the credit pays for bounds the answers of this process and is not stored', () => {
  const model = known()
  model.learn({ max_output_tokens: 8192 })
  const text =
    'This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 512'
  const longer = { model: 'm', messages: [], max_tokens: 4096 }
  expect(model.learnRefusal({ status: 402, text, param: null }, longer)).toBe(true)
  expect(model.fit(longer)).toMatchObject({ max_tokens: 512 })
  model.learn({ streams: true })
  expect(model.record.max_output_tokens).toBe(8192)
  expect(keptRecord(folder, ADDRESS, 'm')!.max_output_tokens).toBe(8192)
  expect(known().fit(longer)).toMatchObject({ max_tokens: 4096 })
})

it('a model that is forgotten, or tested again, while a process runs has its new limits there', () => {
  const model = known()
  model.learn({ context_window: 4096, max_output_tokens: 512, dimensions: 4 })
  known().learn({ context_window: 8192 })
  model.refresh()
  expect(model.record).toMatchObject({ context_window: 8192, max_output_tokens: 512 })
  forgetModel(folder, model.record)
  model.refresh()
  expect(model.record).toMatchObject({ context_window: null, max_output_tokens: null, dimensions: 4 })
})

it('a process that cannot write keeps the limits that it has learned', () => {
  writeFileSync(join(folder, 'plain'), '')
  const model = new KnownModels(join(folder, 'plain')).of(ADDRESS, 'm')
  model.learn({ context_window: 4096 })
  model.refresh()
  expect(model.record.context_window).toBe(4096)
})

it('a model is forgotten alone', () => {
  for (const model of ['a', 'b']) known(model).learn({ streams: true })
  forgetModel(folder, { address: 'http://service.test/v1', model: 'a' })
  expect(keptRecords(folder).map(({ model }) => model)).toEqual(['b'])
})

it('a damaged file and a folder that cannot be written are as if nothing was known', () => {
  known().learn({ streams: true })
  for (const file of readdirSync(folder)) writeFileSync(join(folder, file), '{"version": 1, "addr')
  expect(known().record.streams).toBeNull()
  writeFileSync(join(folder, 'plain'), '')
  const unkept = new KnownModels(join(folder, 'plain')).of(ADDRESS, 'm')
  unkept.learn({ streams: false })
  expect(unkept.record.streams).toBe(false)
})

it('nothing is written for what is known already', () => {
  const model = known()
  model.learn({ finish_reasons: ['stop'] })
  const before = model.record.learned_at
  const [file] = readdirSync(folder)
  rmSync(join(folder, file!))
  model.learn({ finish_reasons: ['stop'] })
  expect([readdirSync(folder), model.record.learned_at]).toEqual([[], before])
})

it('says in words what is known', () => {
  const model = known()
  model.learnRefusal(refusal, sent)
  model.learn({ tools: 'text', schema: 'kept', context_window: 8192 })
  expect(recordWords(model.record)).toEqual([
    'refuses temperature',
    'keeps to a JSON schema',
    'writes calls of tools as text',
    'context of 8,192 tokens',
  ])
})
