import { describe, expect, it } from 'vitest'
import {
  fakeModelHost,
  toolCall,
  type FakeModelHostOptions,
  type FakeReply,
} from '../../../../tests/helpers/fake-model-host.ts'
import { ragFixture, WORLD, type Documents } from '../../../../tests/helpers/rag-fixture.ts'
import { tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import { messageText } from '../../../../contract/http/chat.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { parseAnswerTask } from '../../models/prompts/answer-task.ts'
import { parseObservation } from '../../models/prompts/agent-task.ts'
import type { GraphQueries } from '../graph/graph-queries.ts'
import { RagError } from '../rag-error.ts'
import type { TrajectoryStep } from './run-agent.ts'

const QUESTION = 'Where did the master of the Grey Heron grow up?'
const FINDINGS = {
  entities: [{ name: 'Ysolde Marrack', type: 'person', description: 'A master.' }],
  relations: [{ source: 'Ysolde Marrack', target: 'Tarnwick', keywords: 'grow up', description: 'She grew up there.' }],
  chunks: [{ document: 'marrack.md', title: 'Ysolde Marrack', content: WORLD['marrack.md']!.paragraphs[0]! }],
}
const graphOf = (find: GraphQueries['find']): GraphQueries => ({
  find,
  answer: () => Promise.reject(new Error('the agent asks for no answers')),
})

/** The agent with scripted replies; the last one is repeated for ever. */
async function agent(
  replies: FakeReply[],
  options: FakeModelHostOptions = {},
  graph?: GraphQueries,
  documents: Documents = WORLD,
) {
  let turn = 0
  const models = fakeModelHost({ chat: () => replies[Math.min(turn++, replies.length - 1)]!, ...options })
  const fixture = await ragFixture(models, documents, { graph: graph ?? graphOf(async () => FINDINGS) })
  models.calls.length = 0
  const ask = async (signal?: AbortSignal, alias = 'agentic-rag') => {
    const request = { model: alias, messages: [{ role: 'user' as const, content: QUESTION }] }
    const { rag_extension: extension } = await fixture.plugin.answer(alias, request, signal)
    return { ...extension!, trajectory: extension!.trajectory as unknown as TrajectoryStep[] }
  }
  const chats = () => models.calls.filter(({ kind }) => kind === 'chat').map(({ request }) => request!)
  return { ask, models, chats }
}

const search = (query: string, more: object = {}, id?: string) => toolCall('vector_search', { query, ...more }, id)
const observationsIn = (request: { messages: { role: string }[] }) =>
  request.messages
    .filter(({ role }) => role === 'tool')
    .map((message) => parseObservation(messageText(message as never))!)

describe('the agent', () => {
  it('searches by tool calls, answers, and reports how', async () => {
    const { ask, chats } = await agent([
      { toolCalls: [search('Grey Heron master', { top_k: 2 })] },
      { toolCalls: [toolCall('graph_query', { query: 'Ysolde Marrack' })] },
      'In Tarnwick.',
    ])
    const { answer, sources, metrics, trajectory } = await ask()
    expect(answer).toBe('In Tarnwick.')
    expect(trajectory).toEqual([
      {
        step: 1,
        tool: 'vector_search',
        arguments: { query: 'Grey Heron master', top_k: 2 },
        result: { passages: 2, new_passages: 2, entities: 0, relations: 0 },
        error: null,
        seconds: expect.any(Number),
      },
      {
        step: 2,
        tool: 'graph_query',
        arguments: { query: 'Ysolde Marrack' },
        result: { passages: 1, new_passages: 1, entities: 1, relations: 1 },
        error: null,
        seconds: expect.any(Number),
      },
    ])
    expect(metrics).toMatchObject({ chunks: 3, llm_calls: 3, cloud_calls: 0 })
    // In the order of the reranker over all steps: the name that was looked for brings its passage up.
    expect(sources.map(({ document }) => document).slice(0, 2)).toEqual(['harbour-report.md', 'marrack.md'])
    expect(sources.every(({ score }, at) => at === 0 || score! <= sources[at - 1]!.score!)).toBe(true)
    const [first, second, third] = chats()
    expect(first!.tools!.map((tool) => tool.function.name)).toEqual(['vector_search', 'graph_query'])
    expect(first!.temperature).toBe(0)
    expect(observationsIn(second!)[0]!.passages.map(({ text }) => text)).toEqual(
      expect.arrayContaining([sources[0]!.text]),
    )
    expect(observationsIn(third!)[1]!.facts).toEqual([
      'Ysolde Marrack – grow up – Tarnwick: She grew up there.',
      'Ysolde Marrack (person): A master.',
    ])
  })

  it('gives each passage to the model once', async () => {
    const { ask, chats } = await agent([
      { toolCalls: [search('Grey Heron'), search('pilot cutter', {}, 'b')] },
      'Done.',
    ])
    const { sources, trajectory } = await ask()
    expect(new Set(sources.map(({ text }) => text)).size).toBe(sources.length)
    const [, again] = observationsIn(chats()[1]!)
    expect([again!.passages.length + again!.repeated.length, again!.repeated.length]).toEqual([
      5,
      5 - trajectory[1]!.result!.new_passages,
    ])
  })

  it.each([
    ['agentic-rag', 6],
    ['agentic-rag-deeper', 8],
  ])('%s has %i replies and must give the last one without tools', async (alias, steps) => {
    let turn = 0
    const { ask, chats } = await agent(
      [],
      {
        chat: (_role, request) =>
          request.tools === undefined ? 'At last.' : { toolCalls: [search(`query ${turn++}`)] },
      },
      undefined,
      manyNotes(),
    )
    const { answer, metrics } = await ask(undefined, alias)
    expect([answer, metrics.llm_calls]).toEqual(['At last.', steps])
    const last = parseAnswerTask(chats().at(-1)!.messages)!
    expect(last.question).toBe(QUESTION)
    expect(last.passages).toHaveLength(metrics.chunks)
  })

  it('has to answer when it turns in circles', async () => {
    const { ask, chats } = await agent([], {
      chat: (_role, request) => (request.tools === undefined ? 'Enough.' : { toolCalls: [search('Grey Heron')] }),
    })
    const { answer, trajectory } = await ask()
    expect(answer).toBe('Enough.')
    expect(trajectory.map(({ error }) => error)).toEqual([null, REPEATED, REPEATED])
    expect(chats()).toHaveLength(4)
  })

  it.each([
    ['arguments that are no JSON', toolCall('vector_search', '{"query": "Grey'), 'The arguments are not valid JSON.'],
    ['arguments of the wrong type', toolCall('vector_search', { query: 7 }), /^The arguments are wrong: query: /],
    ['no results', search('Grey Heron', { top_k: 0 }), /^The arguments are wrong: top_k: /],
    ['no arguments', toolCall('graph_query', ''), /^The arguments are wrong: query: /],
    [
      'an unknown tool',
      toolCall('delete_everything', { query: 'x' }),
      'There is no such tool: use vector_search or graph_query.',
    ],
  ])('gets %s as a tool result and goes on', async (_what, call, problem) => {
    const { ask, chats } = await agent([{ toolCalls: [call] }, { toolCalls: [search('Grey Heron')] }, 'Fine.'])
    const { answer, trajectory } = await ask()
    expect(answer).toBe('Fine.')
    expect(trajectory[0]).toMatchObject({ result: null, error: expect.stringMatching(problem) })
    expect(observationsIn(chats()[1]!)[0]!.note).toMatch(problem)
  })

  it('answers from the best of what it found when the conversation is too long for the model', async () => {
    const { ask, chats } = await agent([{ toolCalls: [search('Grey Heron')] }, TOO_LONG, 'In Tarnwick.'])
    const { answer, sources } = await ask()
    expect([answer, sources.length > 0, chats().length]).toEqual(['In Tarnwick.', true, 3])
    expect(chats().at(-1)!.tools).toBeUndefined()
    const first = await agent([TOO_LONG, 'In Tarnwick.'])
    await expect(first.ask()).rejects.toMatchObject({ message: expect.stringContaining('longer than the model') })
  })

  it('answers from the first half of its contexts, and half of that, where they are too long for the model', async () => {
    let turn = 0
    const shown: number[] = []
    const { ask, chats } = await agent(
      [],
      {
        chat: (_role, request) => {
          if (request.tools !== undefined) return { toolCalls: [search(`note ${turn++}`)] }
          const { passages } = parseAnswerTask(request.messages)!
          shown.push(passages.length)
          return passages.length > 2 ? TOO_LONG : 'Short.'
        },
      },
      undefined,
      manyNotes(),
    )
    const { answer, sources, metrics } = await ask()
    expect([answer, shown]).toEqual(['Short.', [8, 4, 2]])
    const handed = parseAnswerTask(chats().at(-1)!.messages)!.passages.map(({ text }) => text)
    expect(sources.map(({ text }) => text)).toEqual(handed)
    expect(metrics).toMatchObject({ chunks: 2, context_tokens: tokensOfTexts(handed) })
  })

  it('answers from the first half of the facts of the graph where they are its only context and too long', async () => {
    const facts = (count: number) =>
      graphOf(async () => ({
        entities: Array.from({ length: count }, (_, at) => ({ name: `E${at}`, type: 'person', description: 'One.' })),
        relations: [],
        chunks: [],
      }))
    const shown: number[] = []
    const replies = (most: number): FakeModelHostOptions => ({
      chat: (_role, request) => {
        if (request.tools !== undefined) return { toolCalls: [toolCall('graph_query', { query: 'Heron' })] }
        const lines = parseAnswerTask(request.messages)!.passages[0]!.text.split('\n').length
        shown.push(lines)
        return lines > most ? TOO_LONG : 'Short.'
      },
    })
    const { ask } = await agent([], replies(2), facts(8))
    expect([(await ask()).answer, shown.splice(0)]).toEqual(['Short.', [8, 4, 2]])
    const lost = await agent([], replies(0), facts(8))
    await expect(lost.ask()).rejects.toMatchObject({ code: 'context_length_exceeded' })
    expect(shown).toEqual([8, 4, 2, 1])
  })

  it.each([5000, 1e15])('searches for the most that there are when a model asks for %d', async (top_k) => {
    const { ask } = await agent([{ toolCalls: [search('Grey Heron', { top_k })] }, 'Fine.'])
    expect((await ask()).trajectory[0]).toMatchObject({ arguments: { top_k: 20 }, error: null })
  })

  it('runs four calls of one reply and refuses the others', async () => {
    const calls = ['a', 'b', 'c', 'd', 'e'].map((word) => search(`${word} Grey Heron`, {}, word))
    const { ask, chats } = await agent([{ toolCalls: calls }, 'Fine.'])
    const { trajectory } = await ask()
    expect(trajectory.map(({ error }) => error === null)).toEqual([true, true, true, true, false])
    expect(observationsIn(chats()[1]!)).toHaveLength(5)
  })

  it.each([['', '  '], ['<think>hm</think>']])('is asked once more after an empty reply (%j)', async (...silence) => {
    const { ask } = await agent([...silence.slice(0, 1), 'Then.'])
    expect(await ask()).toMatchObject({ answer: 'Then.', metrics: { llm_calls: 2 } })
    const mute = await agent(silence.slice(0, 1))
    await expect(mute.ask()).rejects.toMatchObject({ code: 'model_answer_invalid', calls: { llmCalls: 2 } })
  })

  it('goes on without a tool that fails, and fails when none ever worked', async () => {
    const broken = graphOf(async () =>
      Promise.reject(new RagError('graph_failed', 'the graph engine cannot be reached')),
    )
    const turns: FakeReply[] = [
      { toolCalls: [toolCall('graph_query', { query: 'Heron' })] },
      { toolCalls: [search('Grey Heron')] },
      'Fine.',
    ]
    const { ask } = await agent(turns, {}, broken)
    const { trajectory } = await ask()
    expect(trajectory.map(({ error }) => error)).toEqual(['The tool failed: the graph engine cannot be reached', null])
    const lost = await agent([turns[0]!, 'I guess.'], {}, broken)
    await expect(lost.ask()).rejects.toMatchObject({ code: 'graph_failed', status: 502, calls: { llmCalls: 2 } })
  })

  it('reveals nothing of an upstream’s own words, and passes unexpected errors on', async () => {
    const embedding = new ModelCallError('upstream_error', 'embed', 'http://secret said no', { status: 500 })
    const { ask, chats } = await agent([
      { toolCalls: [search('Grey Heron')] },
      { toolCalls: [toolCall('graph_query', { query: 'Heron' })] },
      'Fine.',
    ])
    await ask()
    expect(JSON.stringify(chats())).not.toContain('secret')
    const failing = await agent(
      [{ toolCalls: [search('Grey Heron')] }, 'Fine.'],
      {},
      graphOf(async () => Promise.reject(embedding)),
    )
    await expect(failing.ask()).resolves.toMatchObject({ answer: 'Fine.' })
    const bug = graphOf(async () => Promise.reject(new TypeError('a bug')))
    const buggy = await agent([{ toolCalls: [toolCall('graph_query', { query: 'Heron' })] }, 'Fine.'], {}, bug)
    await expect(buggy.ask()).rejects.toThrow(TypeError)
  })

  it('stops in the middle of a tool when the caller goes', async () => {
    const leave = new AbortController()
    const slow = graphOf((_question, _account, signal) => {
      leave.abort(new Error('gone'))
      return Promise.reject(signal!.reason as Error)
    })
    const { ask, models } = await agent(
      [{ toolCalls: [toolCall('graph_query', { query: 'Heron' })] }, 'Never.'],
      {},
      slow,
    )
    await expect(ask(leave.signal)).rejects.toMatchObject({ code: 'cancelled', calls: { llmCalls: 1 } })
    expect(models.calls).toHaveLength(1)
  })

  it('reads fifty passages at most and gives its answer the best eight', async () => {
    let turn = 0
    const { ask, chats } = await agent(
      [],
      {
        chat: (_role, request) =>
          request.tools === undefined
            ? 'Full.'
            : { toolCalls: ['a', 'b', 'c', 'd'].map((id) => search(`note ${turn++}`, { top_k: 20 }, id)) },
      },
      undefined,
      manyNotes(),
    )
    const { sources, metrics, trajectory } = await ask()
    expect(trajectory.reduce((sum, { result }) => sum + result!.new_passages, 0)).toBe(50)
    expect([sources.length, metrics.chunks]).toEqual([8, 8])
    expect(parseAnswerTask(chats().at(-1)!.messages)!.passages.map(({ text }) => text)).toEqual(
      sources.map(({ text }) => text),
    )
  })

  it('keeps a passage that it quotes among the contexts, however the reranker places it', async () => {
    const quote = 'This is note 3, a query about 3 herons.'
    const reply = (request: { tools?: unknown; messages: { role: string }[] }): FakeReply =>
      request.messages.some(({ role }) => role === 'tool')
        ? `It was found. ${quote}`
        : { toolCalls: [search('note herons', { top_k: 20 }), search(quote, { top_k: 1 }, 'b')] }
    const rerank = (query: string, texts: readonly string[]) =>
      texts.map((text) => (text.includes('note 3,') ? (query === quote ? 9 : -9) : 0))
    const { ask } = await agent([], { chat: (_role, request) => reply(request), rerank }, undefined, manyNotes())
    const { sources } = await ask()
    expect(sources).toHaveLength(8)
    expect(sources.at(-1)!.text).toContain('note 3,')
  })
})

const TOO_LONG = new ModelCallError('context_length_exceeded', 'agentic', '9000 tokens')
const REPEATED = 'This call was made before: its result stands above.'

/** Notes that every query finds some others of. */
function manyNotes(): Documents {
  return Object.fromEntries(
    Array.from({ length: 80 }, (_, at) => [
      `note-${at}.md`,
      { title: `Note ${at}`, paragraphs: [`This is note ${at}, a query about ${at % 7} herons.`] },
    ]),
  )
}
