import { describe, expect, it } from 'vitest'
import { TrialReport } from '../../../contract/http/trial.ts'
import { fakeModelHost } from '../../../tests/helpers/fake-model-host.ts'
import { chunksOf, ingest, ragFixture, WORLD, consumer, flavors } from '../../../tests/helpers/rag-fixture.ts'
import type { OwnQuestion } from '../../../core/own-approaches/own-reply.ts'

const QUESTION = 'Who was master of the Grey Heron?'

async function world(overrides: Parameters<typeof ragFixture>[2] = {}) {
  const models = fakeModelHost({ chat: () => 'Ysolde Marrack.' })
  const fixture = await ragFixture(models, WORLD, overrides)
  models.calls.length = 0
  const ask = async (alias: string, trial: object | undefined, budget?: number) => {
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const answered = await fixture.plugin.answer(alias, {
      model: alias,
      messages,
      ...(budget === undefined ? {} : { context_budget: budget }),
      ...(trial === undefined ? {} : { trial: { parameters: {}, answer: false, ...trial } }),
    })
    return answered.rag_extension!
  }
  const count = (kind: string): number => models.calls.filter((call) => call.kind === kind).length
  return { ask, count, fixture, models }
}

describe('a trial', () => {
  it('returns the passages that an answer is written from, asks no chat model, and confirms what it did', async () => {
    const { ask, count } = await world()
    const measured = await ask('hybrid-rag', undefined, 100)
    const chats = count('chat')
    const trial = await ask('hybrid-rag', {}, 100)
    expect(trial.sources).toEqual(measured.sources)
    expect(trial.answer).toBe('')
    expect(trial.metrics).toMatchObject({
      llm_calls: 0,
      context_budget: 100,
      context_tokens: measured.metrics.context_tokens,
    })
    expect(count('chat')).toBe(chats)
    expect(TrialReport.parse(trial['trial'])).toMatchObject({ parameters: {}, answer: false, embedded: 1 })
    expect(measured['trial']).toBeUndefined()
  })

  it('answers with other values of single parameters, and writes the answer where that is asked for', async () => {
    const { ask } = await world()
    expect((await ask('vanilla-rag', { parameters: { k: 2 } })).sources).toHaveLength(2)
    const answered = await ask('vanilla-rag', { parameters: { k: 1 }, answer: true })
    expect(answered.answer).toBe('Ysolde Marrack.')
    expect(answered.sources).toHaveLength(1)
  })

  it('embeds a question once for all settings; a measured answer embeds it again', async () => {
    const { ask, count } = await world()
    const [first, ...others] = await Promise.all(
      [0.25, 0.5, 0.75, 1].map((alpha) => ask('hybrid-rag', { parameters: { alpha, rerank: false } }, 100)),
    )
    expect(count('embed')).toBe(1)
    const embedded = [first!, ...others].map((each) => TrialReport.parse(each['trial']).embedded)
    expect(embedded.reduce((sum, each) => sum + each, 0)).toBe(1)
    await ask('hybrid-rag', undefined)
    expect(count('embed')).toBe(2)
  })

  it('asks again after an embedding that failed', async () => {
    let failing = true
    const models = fakeModelHost({ chat: () => 'x' })
    const fixture = await ragFixture(
      {
        ...models,
        embed: (...call: Parameters<typeof models.embed>) =>
          failing && call[2] === 'query' ? Promise.reject(new Error('no service')) : models.embed(...call),
      },
      WORLD,
    )
    const request = { model: 'vanilla-rag', messages: [{ role: 'user' as const, content: QUESTION }] }
    const trial = { parameters: {}, answer: false }
    await expect(fixture.plugin.answer('vanilla-rag', { ...request, trial })).rejects.toThrow('no service')
    failing = false
    expect((await fixture.plugin.answer('vanilla-rag', { ...request, trial })).rag_extension!.sources).not.toEqual([])
  })

  it('searches the collections of a profile with other chunks', async () => {
    const { ask, fixture, models } = await world()
    const whole = { 'one.md': { title: 'One', paragraphs: ['The Grey Heron, in one piece.'] } }
    await expect(ask('vanilla-rag', { profile: 'smoke_chunks_400_50' })).rejects.toMatchObject({
      code: 'collection_missing',
    })
    await ingest(fixture.store, models, 'smoke_chunks_400_50', chunksOf(whole))
    const { sources } = await ask('vanilla-rag', { profile: 'smoke_chunks_400_50' })
    expect(sources.map(({ document }) => document)).toEqual(['one.md'])
    await expect(ask('vanilla-rag', { profile: 'unknown_chunks_400_50' })).rejects.toMatchObject({
      code: 'unknown_profile',
    })
  })

  it('refuses parameters that the alias cannot have, and passages alone of an approach that chooses them while it answers', async () => {
    const { ask } = await world()
    await expect(ask('hybrid-rag', { parameters: { alpha: 2 } })).rejects.toMatchObject({
      code: 'unsupported_parameter',
    })
    await expect(ask('hybrid-rag', { parameters: { beta: 1 } })).rejects.toMatchObject({
      code: 'unsupported_parameter',
    })
    await expect(ask('no-retrieval', {})).rejects.toThrow('chooses its passages while it answers')
  })

  it('gives an own retriever other settings, and none that its address is made of', async () => {
    const asked: OwnQuestion[] = []
    const parameters = {
      kind: 'retriever',
      url: 'http://127.0.0.1:1/{{index}}',
      k: 5,
      settings: { index: 'a', depth: 1 },
    }
    const { ask } = await world({
      aliases: { ...consumer, aliases: [...consumer.aliases, OWN] },
      flavors: {
        ...flavors,
        flavors: [
          ...flavors.flavors,
          { alias: 'mine', base: 'own-approach', flavor: 'mine', requires_reingest: false, parameters },
        ],
      },
      own: {
        problem: () => null,
        close: () => Promise.resolve(),
        ask: (_alias, question) => {
          asked.push(question)
          const contexts = [{ text: 'The Grey Heron.', title: 'Note', document: 'note.md', score: 1 }]
          return Promise.resolve({ answer: null, contexts, usage: null })
        },
      },
    })
    expect((await ask('mine', { parameters: { depth: 3, k: 9 } })).sources).toHaveLength(1)
    expect(asked[0]).toMatchObject({ settings: { index: 'a', depth: 3 }, k: 9 })
    for (const wrong of [{ index: 'b' }, { depth: 'deep' }, { other: 1 }, { k: 0 }])
      await expect(ask('mine', { parameters: wrong })).rejects.toMatchObject({ code: 'unsupported_parameter' })
  })
})

const OWN = { alias: 'mine', base: 'own-approach', experimental: true, evidence: 'answer_with_contexts' } as const
