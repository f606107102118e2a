import { NO_ANSWER } from '../../../../contract/prompts.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import type { GraphQueryInput } from '../../../../contract/http/graph-engine.ts'
import { ask, engineBench, feed, useEngineBench } from '../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels } from '../../../../tests/helpers/scripted-models.ts'
import { countTokens } from '../../../../contract/evidence/count-tokens.ts'
import { ModelCallError } from '../../models/model-host.ts'
import type { GraphEngine } from './graph-engine.ts'

const bench = useEngineBench()

/** A chain over three documents in which question and answer share no word with the middle and last one. */
const WORLD = {
  'osprey.md': 'Osprey/vessel > built by > Red Yard/organization: The Osprey left the slip of the Red Yard in May.',
  'yard.md':
    'Red Yard/organization > founded by > Ilse Brandt/person: Ilse Brandt set up the Red Yard with borrowed money.',
  'brandt.md': 'Ilse Brandt/person > born in > Hallow/place: Ilse Brandt came into the world at Hallow.',
  'ferry.md':
    'Tern/vessel > built by > Blue Yard/organization: The Tern is a ferry of the Blue Yard, built in a wet spring.',
  'blue.md': 'Blue Yard/organization > founded by > Per Holm/person: Per Holm founded the Blue Yard after the war.',
  'weather.md': 'Hallow/place > lies on > River Ask/place: Hallow lies on the River Ask, where it rains often.',
}

const paths = (context: { data: { chunks: { file_path: string }[] } }) =>
  context.data.chunks.map(({ file_path }) => file_path)

/** Nothing but the world. */
const ALONE: Record<string, string> = {}
const worlds = new Map<object, { folder: ReturnType<typeof engineBench>; engine: Promise<GraphEngine> }>()
afterAll(() => Promise.all([...worlds.values()].map(({ folder }) => folder.cleanUp())))

/** An engine with the world and more documents, which its tests only ask, so that they share it. */
function world(more = ALONE): Promise<GraphEngine> {
  const known = worlds.get(more)
  if (known !== undefined) return known.engine
  const folder = engineBench()
  const engine = folder.open()
  const fed = feed(engine, { ...WORLD, ...more }).then(() => engine)
  worlds.set(more, { folder, engine: fed })
  return fed
}

describe('a query that begins with passages of another search', () => {
  const question = 'Who set up the yard of the vessel that left in May?'
  const found = [{ document: 'osprey.md', content: 'The Osprey left the slip of the Red Yard', score: 1 }]
  const query = ask(question, { mode: 'hybrid', top_k: 5, chunk_top_k: 2, include_chunk_content: true })

  it('has them first, in their own words, then the chunks that share an entity with them, and names it', async () => {
    const engine = await world()
    const { data } = await engine.query(query, { search: () => Promise.resolve(found) })
    expect(data.chunks.map(({ file_path, content, ...more }) => [file_path, content, more['via']])).toEqual([
      ['osprey.md', 'The Osprey left the slip of the Red Yard', undefined],
      ['yard.md', expect.stringContaining('Ilse Brandt set up'), 'Red Yard'],
    ])
  })

  it('is the query of the API where nothing was found, and where the documents are not in the graph', async () => {
    const engine = await world()
    const alone = await engine.query(query)
    for (const passages of [[], [{ ...found[0]!, document: 'elsewhere.md' }]])
      expect((await engine.query(query, { search: () => Promise.resolve(passages) })).data).toEqual(alone.data)
  })
})

describe('finding a context', () => {
  it('follows a chain of documents that share no words with the question or with each other', async () => {
    const engine = await world()
    const answer = await engine.query(
      ask('From which place came the founder of the yard that built the Osprey?', {
        mode: 'local',
        top_k: 5,
        chunk_top_k: 3,
      }),
    )
    expect(paths(answer).sort()).toEqual(['brandt.md', 'osprey.md', 'yard.md'])
    expect(answer.info.anchors).toEqual(['Osprey'])
    expect(answer.info.paths[0]).toEqual(['Osprey', 'Red Yard', 'Ilse Brandt', 'Hallow'])
    expect(answer.response).toContain('Ilse Brandt came into the world at Hallow.')
  })

  it('joins two named entities by the path between them', async () => {
    const engine = await world()
    const { info } = await engine.query(
      ask('What do the Osprey and Hallow have to do with each other?', { mode: 'local', top_k: 3 }),
    )
    const [first] = info.paths
    expect(first?.[0] === 'Osprey' ? first : first?.toReversed()).toEqual([
      'Osprey',
      'Red Yard',
      'Ilse Brandt',
      'Hallow',
    ])
  })

  it.each(['local', 'global', 'hybrid', 'naive', 'mix'] as const)(
    'answers the same in mode %s each time',
    async (mode) => {
      const engine = await world()
      const query = ask('Who founded the Blue Yard?', { mode, top_k: 4, chunk_top_k: 2 })
      const [first, second] = [await engine.query(query), await engine.query(query)]
      expect(second).toEqual(first)
      expect(paths(first)).toContain('blue.md')
      expect(first.data.chunks.length).toBeLessThanOrEqual(2)
      const calls = mode === 'naive' ? 1 : 2
      expect(first.cost).toEqual({
        chunks: first.data.chunks.length,
        llm_calls: calls,
        cloud_calls: 0,
        usage: { prompt_tokens: 10 * calls, completion_tokens: 5 * calls, total_tokens: 15 * calls },
        models: expect.any(Array),
      })
      expect(first.cost.models!.reduce((sum, { input_tokens: input }) => sum + input, 0)).toBe(10 * calls)
    },
  )

  it('takes keywords from the caller without a call, and the question itself when a model gives none', async () => {
    const engine = await world()
    const given = await engine.query(ask('Who was it?', { ll_keywords: ['Osprey'], mode: 'local' }))
    expect([given.info.keywords_from, given.cost.llm_calls, given.info.anchors]).toEqual(['request', 1, ['Osprey']])
    const models = scriptedModels()
    const replying = (content: string) => ({
      ...models,
      chat: async (...[role, request, signal]: Parameters<typeof models.chat>) => {
        const completion = await models.chat(role, request, signal)
        return role === 'graph_keyword'
          ? {
              ...completion,
              choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' as const, content } }],
            }
          : completion
      },
    })
    const query = ask('Who founded the Blue Yard?', { mode: 'local' })
    const own = await engine.query(query, { models: replying('{"high_level":[],"low_level":[]}') })
    expect([own.info.keywords_from, own.keywords]).toEqual([
      'question',
      { high_level: [], low_level: ['Who founded the Blue Yard?'] },
    ])
    expect(paths(own)).toContain('blue.md')
    await expect(engine.query(query, { models: replying('no idea') })).rejects.toThrow(
      "the keyword model's reply cannot be used: the reply holds no JSON object",
    )
  })

  it('counts the calls of a request through the models that came with it', async () => {
    const engine = await world()
    const models = scriptedModels({ cloud: true })
    const { cost } = await engine.query(ask('Who founded the Blue Yard?'), { models })
    expect(models.calls).toEqual(['graph_keyword', 'embed', 'graph_query'])
    expect([cost.llm_calls, cost.cloud_calls]).toEqual([2, 1])
  })

  it('reports that there is nothing without asking a model', async () => {
    const engine = bench.open()
    const answer = await engine.query(ask('Who founded the Blue Yard?', { mode: 'local' }))
    expect([answer.response, answer.llmGenerated, answer.cost.llm_calls]).toEqual([NO_ANSWER, false, 1])
  })

  it('passes a model failure on', async () => {
    const engine = await world()
    const models = {
      ...scriptedModels(),
      embed: async () => Promise.reject(new ModelCallError('timeout', 'embed', 'too slow')),
    }
    await expect(engine.query(ask('Who founded the Blue Yard?'), { models })).rejects.toThrow(ModelCallError)
    const odd = scriptedModels({ embed: (texts) => texts.map(() => new Float32Array(3)) })
    await expect(engine.query(ask('Who founded the Blue Yard?'), { models: odd })).rejects.toMatchObject({
      code: 'embedding_invalid',
    })
  })

  it('goes to the model without a context in bypass mode', async () => {
    const engine = await world()
    const answer = await engine.query(ask('Hi', { mode: 'bypass' }))
    expect([answer.response, answer.cost]).toMatchObject(['free chat of role graph_query', { llm_calls: 1, chunks: 0 }])
  })
})

describe('the contents of the prompt', () => {
  const filler = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [
      `f${at}.md`,
      `Osprey/vessel > carried > Cargo ${at}/concept: The Osprey carried cargo number ${at} on a voyage with many stops and long delays.`,
    ]),
  )

  const tokensOf = async (engine: GraphEngine, more: Partial<GraphQueryInput>) => {
    const prompt = await engine.query(ask('What did the Osprey carry?', { ...more, only_need_prompt: true }))
    const { data, info } = prompt
    return { tokens: info.prompt_tokens, shown: countTokens(prompt.response), ...data }
  }

  it.each([400, 800, 1500, 6000])('keeps to %i tokens in all, and fills them', async (total) => {
    const engine = await world(filler)
    const wide = { mode: 'mix', top_k: 60, chunk_top_k: 60, max_total_tokens: total } as const
    const { tokens, chunks, relationships } = await tokensOf(engine, wide)
    expect(tokens).toBeLessThanOrEqual(total)
    expect(chunks.length).toBeGreaterThan(0)
    expect(relationships.length).toBeGreaterThan(0)
    if (total <= 1500) expect(tokens).toBeGreaterThan(total * 0.6)
  })

  it.each([200, 400, 1000])(
    'fills a context budget of %i tokens with statements and chunks, whatever its own settings',
    async (budget) => {
      const engine = await world(filler)
      const own = { mode: 'hybrid', top_k: 3, chunk_top_k: 1, max_total_tokens: 2000 } as const
      const answer = await engine.query(ask('What did the Osprey carry?', { ...own, context_budget: budget }))
      const chunks = answer.data.chunks.map(({ content }) => content)
      // The last chunk ends with a whole word.
      expect(answer.info.context_tokens).toBeGreaterThanOrEqual(budget - 3)
      expect(answer.info.context_tokens).toBeLessThanOrEqual(budget)
      expect(tokensOfTexts([...answer.statements, ...chunks])).toBe(answer.info.context_tokens)
      expect(tokensOfTexts(answer.statements)).toBeLessThanOrEqual(0.4 * budget)
      const small = await engine.query(ask('What did the Osprey carry?', own))
      expect(paths(answer)[0]).toBe(paths(small)[0])
      expect(small.info.context_tokens).toBeLessThan(small.info.prompt_tokens)
    },
  )

  it('keeps entities and relations to budgets of their own', async () => {
    const engine = await world(filler)
    const wide = { mode: 'hybrid', top_k: 60, chunk_top_k: 1 } as const
    const all = await tokensOf(engine, wide)
    const few = await tokensOf(engine, { ...wide, max_entity_tokens: 60, max_relation_tokens: 60 })
    expect([few.entities.length < all.entities.length, few.relationships.length < all.relationships.length]).toEqual([
      true,
      true,
    ])
    const none = await tokensOf(engine, { ...wide, max_entity_tokens: 1, max_relation_tokens: 1 })
    expect([none.entities, none.relationships]).toEqual([[], []])
    expect(all.tokens - none.tokens).toBeGreaterThan(few.tokens - none.tokens)
    expect(few.tokens - none.tokens).toBeLessThanOrEqual(120)
  })

  it('puts nothing in when there is no room, and answers without a model', async () => {
    const engine = await world()
    const answer = await engine.query(ask('Who founded the Blue Yard?', { max_total_tokens: 5 }))
    expect([answer.response, answer.data.chunks]).toEqual([NO_ANSWER, []])
  })

  it('adds wishes and earlier turns, and counts them', async () => {
    const engine = await world()
    const plain = await engine.query(
      ask('Who founded the Blue Yard?', { only_need_prompt: true, max_total_tokens: 900 }),
    )
    const rich = await engine.query(
      ask('Who founded the Blue Yard?', {
        only_need_prompt: true,
        max_total_tokens: 900,
        user_prompt: 'Answer in French.',
        response_type: 'Single Paragraph',
        conversation_history: [{ role: 'user', content: 'Hello there' }],
      }),
    )
    for (const words of ['Answer in French.', 'Single Paragraph', 'Hello there']) expect(rich.response).toContain(words)
    expect([
      rich.info.prompt_tokens > plain.info.prompt_tokens,
      rich.info.prompt_tokens <= 900,
      rich.llmGenerated,
    ]).toEqual([true, true, false])
  })

  it('numbers references and adds their texts on request', async () => {
    const engine = await world()
    const answer = await engine.query(
      ask('Who founded the Blue Yard?', { mode: 'local', include_chunk_content: true, chunk_top_k: 2 }),
    )
    expect(answer.references![0]).toEqual({
      reference_id: '1',
      file_path: answer.data.chunks[0]!.file_path,
      content: [answer.data.chunks[0]!.content],
    })
    expect(answer.data.relationships[0]!.reference_id).not.toBe('')
    expect((await engine.query(ask('Who founded the Blue Yard?', { include_references: false }))).references).toBeNull()
  })
})

it('reranking orders the chunks again and fails as a whole on a bad score', async () => {
  const seen: number[] = []
  const scores = {
    of: (documents: readonly string[]): number[] => documents.map((text) => (text.includes('rains') ? 1 : 0)),
  }
  const engine = bench.open({
    rerank: async ({ documents }) => {
      seen.push(documents.length)
      return scores.of(documents)
    },
  })
  await feed(engine, WORLD)
  const query = ask('Who founded the Blue Yard?', { mode: 'mix', chunk_top_k: 1 })
  expect(paths(await engine.query(query))).toEqual(['weather.md'])
  expect([(await engine.query(query)).info.reranked, seen[0]]).toEqual([true, 6])
  expect((await engine.query({ ...query, enable_rerank: false })).info.reranked).toBe(false)
  scores.of = (documents) => documents.map(() => NaN)
  await expect(engine.query(query)).rejects.toMatchObject({ code: 'rerank_invalid' })
})
