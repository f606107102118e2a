import { describe, expect, it } from 'vitest'
import { fakeModelHost, type FakeModelHostOptions } from '../../../tests/helpers/fake-model-host.ts'
import { ragFixture, WORLD } from '../../../tests/helpers/rag-fixture.ts'
import { messageText } from '../../../contract/http/chat.ts'
import { parseRephrasings } from '../models/prompts/rephrase-task.ts'
import type { Passage } from './approach.ts'
import { meanVector } from './steps/embed.ts'
import { fuseRanks } from './steps/fuse-ranks.ts'

const QUESTION = 'Where did the master of the lost ship grow up?'
const PASSAGE = 'Ysolde Marrack grew up in Tarnwick as the daughter of a clockmaker.'

async function open(options: FakeModelHostOptions = {}) {
  const models = fakeModelHost(options)
  const fixture = await ragFixture(models, WORLD)
  models.calls.length = 0
  const ask = async (alias: string, more: object = {}) =>
    (
      await fixture.plugin.answer(alias, {
        model: alias,
        messages: [{ role: 'user' as const, content: QUESTION }],
        ...more,
      })
    ).rag_extension!
  return { ask, models, plugin: fixture.plugin }
}

/** Writes `text` for the search, and an answer afterwards. */
const writing = (text: string) => (_role: string, request: { messages: { content?: unknown }[] }) =>
  JSON.stringify(request.messages).includes('<asked>') ? text : 'In Tarnwick.'

const passage = (document: string): Passage => ({
  chunk: { document, title: '', chunkIndex: 0, startChar: 0, endChar: 1, content: document, indexText: document },
  score: 0,
})

describe('hyde-rag', () => {
  it('searches by the passage that the model wrote, and answers from chunks of documents alone', async () => {
    const { ask, models } = await open({ chat: writing(PASSAGE) })
    const { sources, answer, metrics, ...rest } = await ask('hyde-rag')
    expect(sources[0]!.document).toBe('marrack.md')
    expect(sources.map(({ text }) => text)).not.toContain(PASSAGE)
    expect([answer, metrics.llm_calls]).toEqual(['In Tarnwick.', 2])
    expect(rest['searched_with']).toEqual([PASSAGE])
    expect(rest['experimental']).toBe(true)
    const [first] = models.calls.filter(({ kind }) => kind === 'chat')
    expect(first!.request).toMatchObject({ temperature: 0, max_tokens: 200 })
    expect(messageText(first!.request!.messages[1]!)).toContain(QUESTION)
  })

  it('records model, prompt and version of what was written to search with, equal for every question', async () => {
    const { ask } = await open({ chat: writing(PASSAGE) })
    const [query] = (await ask('hyde-rag')).derivations!.filter(({ artefact }) => artefact === 'query')
    expect(query).toMatchObject({ input: 'question', model: 'fake-light_gen' })
    expect(query!.prompt).toMatch(/^hypothetical passage \(v1\) [0-9a-f]{8}$/)
  })

  it('fills the context budget of a run as the others do', async () => {
    const { ask } = await open({ chat: writing(PASSAGE) })
    const [small, large] = [
      await ask('hyde-rag', { context_budget: 40 }),
      await ask('hyde-rag', { context_budget: 90 }),
    ]
    expect(small.metrics.context_tokens).toBeLessThanOrEqual(40)
    expect(large.metrics.context_tokens!).toBeGreaterThan(small.metrics.context_tokens!)
    expect(large.metrics.context_tokens).toBeLessThanOrEqual(90)
  })

  it('fails where the model writes nothing, and names what for', async () => {
    const { ask } = await open({ chat: writing('<think>hm</think>') })
    await expect(ask('hyde-rag')).rejects.toMatchObject({
      code: 'model_answer_invalid',
      message: expect.stringContaining('hyde-rag'),
    })
  })

  it('has the mean of unit vectors with length 1', () => {
    const mean = meanVector([new Float32Array([1, 0]), new Float32Array([0, 1])])
    expect(Math.hypot(...mean)).toBeCloseTo(1, 6)
    expect(mean[0]).toBeCloseTo(mean[1]!, 6)
    expect([...meanVector([new Float32Array([1, 0]), new Float32Array([-1, 0])])]).toEqual([1, 0])
  })
})

describe('multi-query-rag', () => {
  it('fuses the searches by the question and by each rephrasing', async () => {
    const reply =
      '1. In which town was Ysolde Marrack a child?\n2. Where did the master of the lost ship grow up?\n3. Clockmaker of Tarnwick'
    const { ask, models } = await open({ chat: writing(reply) })
    const { sources, ...rest } = await ask('multi-query-rag')
    expect(rest['searched_with']).toEqual(['In which town was Ysolde Marrack a child?', 'Clockmaker of Tarnwick'])
    expect(rest['unused_rephrasings']).toBe(1)
    expect(models.calls.filter(({ kind }) => kind === 'embed')).toHaveLength(3)
    expect(sources[0]!.document).toBe('marrack.md')
    expect(rest.derivations!.find(({ artefact }) => artefact === 'query')!.prompt).toMatch(/^rephrase \(v1\) /)
  })

  it('goes on with the question alone where no line can be used, and the row shows it', async () => {
    const { ask } = await open({ chat: writing('Here are the queries:') })
    const { sources, ...rest } = await ask('multi-query-rag')
    expect(sources.length).toBeGreaterThan(0)
    expect([rest['searched_with'], rest['unused_rephrasings']]).toEqual([[], 3])
  })

  it('reads lists as models write them', () => {
    const reply =
      '- "Who led it?"\n\n* who LED it\n(2) Which person was the leader?\n' + `${'long '.repeat(80)}\n4: Leader name`
    expect(parseRephrasings(reply, 'Who was it?', 3)).toEqual([
      'Who led it?',
      'Which person was the leader?',
      'Leader name',
    ])
    expect(parseRephrasings('1984 novel author', 'Who?', 3)).toEqual(['1984 novel author'])
    expect(parseRephrasings('a b\nc d\ne f', 'Who?', 2)).toHaveLength(2)
    expect(parseRephrasings('<asked>\n3\n</asked>\nWho led it?', 'Who?', 3)).toEqual(['Who led it?'])
  })

  it('sums reciprocal ranks with the constant 60', () => {
    const [a, b, c] = ['a', 'b', 'c'].map(passage)
    const fused = fuseRanks([
      [a!, b!],
      [b!, c!],
    ])
    expect(fused.map(({ chunk }) => chunk.document)).toEqual(['b', 'a', 'c'])
    expect(fused.map(({ score }) => score)).toEqual([1 / 62 + 1 / 61, 1 / 61, 1 / 62])
  })
})

it('raptor-rag searches chunks and summaries at once, and names how many summaries were handed over', async () => {
  const { ask, plugin } = await open({
    chat: (role) => (role === 'light_gen' ? 'In Tarnwick.' : `Summary: ${PASSAGE}`),
  })
  expect(await plugin.availability('raptor-rag')).toMatchObject({ available: false, needs_ingestion: true })
  await expect(ask('raptor-rag')).rejects.toMatchObject({
    message: expect.stringContaining('and build its tree first'),
  })
  const { layers } = await plugin.buildTree('smoke')
  const { sources, derivations, ...rest } = await ask('raptor-rag')
  expect(rest['summaries_handed_over']).toBe(layers)
  expect(sources.find(({ document }) => document === 'summaries of layer 1')!.text).toContain(PASSAGE)
  expect(sources.map(({ document }) => document)).toContain('marrack.md')
  expect(derivations!.find(({ artefact }) => artefact === 'tree')).toMatchObject({ model: 'fake-contextual_blurb' })
  expect((await ask('raptor-rag', { context_budget: 40 })).metrics.context_tokens).toBeLessThanOrEqual(40)
  expect((await plugin.health()).tree_builds).toMatchObject({ smoke: { state: 'completed' } })
})

it.each(['hyde-rag', 'multi-query-rag', 'raptor-rag'])(
  'approaches that need a language model: %s is refused where rules would write',
  async (alias) => {
    const { ask, models, plugin } = await open({ builtin: ['light_gen', 'contextual_blurb'] })
    await expect(ask(alias)).rejects.toMatchObject({
      code: 'approach_unavailable',
      message: expect.stringContaining('needs a language model for '),
    })
    expect(models.calls).toEqual([])
    expect(await plugin.availability(alias)).toMatchObject({ available: false })
    expect(await plugin.availability('vanilla-rag')).toMatchObject({ available: true })
  },
)
