import { describe, expect, it } from 'vitest'
import { tokensOfTexts, TOKEN_ESTIMATE } from '../../../contract/evidence/context-budget.ts'
import { fakeModelHost, toolCall } from '../../../tests/helpers/fake-model-host.ts'
import { ragFixture, type Documents } from '../../../tests/helpers/rag-fixture.ts'
import { parseAnswerTask } from '../models/prompts/answer-task.ts'
import type { GraphQueries } from './graph/graph-queries.ts'

const words = (count: number, at: number) =>
  Array.from({ length: count }, (_, word) => `w${(word * 7 + at) % 9}`).join(' ')

/** Sixty chunks of 30 to 90 tokens that all name what is asked. */
const NOTES: Documents = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [
    `note-${at}.md`,
    {
      title: `Note ${at}`,
      paragraphs: [`The Grey Heron and her master, entry ${at}. ${words(20 + (at % 7) * 6, at)}`],
    },
  ]),
)

const graph: GraphQueries = {
  find: () => Promise.resolve({ entities: [], relations: [], chunks: [] }),
  answer: () => Promise.reject(new Error('not asked')),
}

async function ask(alias: string, budget: number | undefined) {
  let turn = 0
  const models = fakeModelHost({
    chat: (role) =>
      role === 'agentic' && (turn += 1) === 1
        ? { toolCalls: [toolCall('vector_search', { query: 'Grey Heron' })] }
        : 'In Tarnwick.',
  })
  const fixture = await ragFixture(models, NOTES, { graph })
  if (alias.startsWith('contextual')) await fixture.plugin.buildContextual('smoke')
  models.calls.length = 0
  const question = 'Who was master of the Grey Heron?'
  const request = { model: alias, messages: [{ role: 'user' as const, content: question }] }
  const { rag_extension: extension } = await fixture.plugin.answer(
    alias,
    budget === undefined ? request : { ...request, context_budget: budget },
  )
  const chats = models.calls.filter(({ kind }) => kind === 'chat').map(({ request: sent }) => sent!)
  const task = parseAnswerTask(chats.at(-1)!.messages)
  return { ...extension!, prompt: task?.passages.map(({ text }) => text) ?? null, chats: chats.length }
}

const ALIASES = [
  'vanilla-rag',
  'vanilla-rag-wide',
  'hybrid-rag',
  'hybrid-rag-high-recall',
  'hybrid-rag-fast',
  'bm25',
  'contextual-rag',
  'lazy-graph-rag',
  'lazy-graph-rag-fast',
  'agentic-rag',
  'agentic-rag-deeper',
]

describe('a context budget', () => {
  it.each(ALIASES)('%s fills it to the same amount, whatever its own number of passages', async (alias) => {
    for (const budget of [200, 1000]) {
      const { metrics, sources, prompt } = await ask(alias, budget)
      expect(metrics).toMatchObject({
        context_tokens: budget,
        context_budget: budget,
        context_tokens_by: TOKEN_ESTIMATE,
        chunks: sources.length,
      })
      // The scores are of what was handed over.
      expect(sources.map(({ text }) => text)).toEqual(prompt)
      expect(tokensOfTexts(prompt!)).toBe(budget)
      expect(sources.at(-1)!.end_char! - sources.at(-1)!.start_char!).toBe(sources.at(-1)!.text!.length)
    }
  })

  it.each(ALIASES)('%s keeps its own order: a smaller budget holds the start of a larger one', async (alias) => {
    const [small, large] = [await ask(alias, 200), await ask(alias, 1000)]
    const whole = small.sources.slice(0, -1).map(({ document }) => document)
    expect(large.sources.slice(0, whole.length).map(({ document }) => document)).toEqual(whole)
  })

  it('without one every approach hands over what it is declared to', async () => {
    for (const [alias, passages] of [
      ['vanilla-rag', 5],
      ['bm25', 5],
      ['lazy-graph-rag', 8],
    ] as const) {
      const { sources, metrics } = await ask(alias, undefined)
      expect(sources).toHaveLength(passages)
      expect(metrics.context_tokens).toBe(tokensOfTexts(sources.map(({ text }) => text!)))
      expect(metrics).not.toHaveProperty('context_budget')
    }
  })

  it('an agent writes its answer from what the budget holds; without one it reports all that it has read', async () => {
    const [within, free] = [await ask('agentic-rag', 200), await ask('agentic-rag', undefined)]
    expect([within.chats, free.chats]).toEqual([3, 2])
    expect(free.metrics.context_tokens).toBe(tokensOfTexts(free.sources.map(({ text }) => text!)))
  })

  it('larger than the corpus hands the whole corpus over and is kept', async () => {
    const { metrics, sources } = await ask('vanilla-rag', 100_000)
    expect(sources).toHaveLength(60)
    expect(metrics.context_tokens).toBe(tokensOfTexts(Object.values(NOTES).map(({ paragraphs: [text] }) => text!)))
    expect(metrics.context_budget).toBe(100_000)
  })
})
