import { describe, expect, it } from 'vitest'
import { messageText } from '../../../../contract/http/chat.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { chatCompletion } from '../../models/openai/chat-completion.ts'
import { feed, useEngineBench } from '../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels, type ScriptedModels } from '../../../../tests/helpers/scripted-models.ts'

const YARD = 'Ann/person > founded > Blue Yard/organization: Ann founded the Blue Yard.'
const line = (number: number) => `Ann/person > met > Guest ${number}/person: Ann met guest ${number} on the quay.`
const LONG = Array.from({ length: 40 }, (_, number) => line(number)).join('\n\n')

const bench = useEngineBench()

/** Cuts every reply to a text of more than so many characters. */
function cutting(most: number): ScriptedModels {
  const models = scriptedModels()
  return {
    ...models,
    chat: async (role, request, signal) => {
      const completion = await models.chat(role, request, signal)
      const text = messageText(request.messages[1]!)
      if (role !== 'graph_extract' || text.length <= most) return completion
      const message = { role: 'assistant' as const, content: completion.choices[0]!.message.content!.slice(0, 200) }
      return { ...completion, choices: [{ index: 0, finish_reason: 'length', message }] }
    },
  }
}

describe('how an extraction went', () => {
  it('is counted over all chunks and documents, and is still known after a restart', async () => {
    const models = scriptedModels({
      onExtract: async ({ text }) =>
        text.startsWith('refuse')
          ? 'I cannot do that.'
          : text.startsWith('odd')
            ? '{"entities":[{"name":"Bo"},{"name":null}],"relations":[{"source":"Bo"}]}'
            : undefined,
    })
    const engine = bench.open({ models })
    await feed(engine, { a: YARD, b: 'nothing with a name', c: 'refuse this', d: 'odd text' })
    const expected = {
      chunks_sent: 4,
      chunks_parsed: 3,
      chunks_empty: 1,
      chunks_truncated: 0,
      chunks_refused: 1,
      items_dropped: 2,
      documents: 3,
      documents_without_entity: 1,
    }
    expect(engine.extraction()).toEqual(expected)
    await engine.close()
    expect(bench.open({ models }).extraction()).toEqual(expected)
  })

  it('of a reply that is cut: the halves of the text are read, and nothing is lost', async () => {
    const whole = bench.open({ stateFile: bench.file('whole.sqlite') })
    await feed(whole, { long: LONG })
    const engine = bench.open({ models: cutting(1800) })
    await feed(engine, { long: LONG })
    expect(engine.statusCounts()).toMatchObject({ processed: 1, failed: 0 })
    expect(engine.extraction()).toMatchObject({ chunks_parsed: 1, chunks_truncated: 1, chunks_empty: 0 })
    const names = async (of: typeof engine) => (await of.graph(100)).nodes.map(({ id }) => id).sort()
    expect(await names(engine)).toEqual(await names(whole))
    expect(await names(engine)).toHaveLength(41)
  })

  it('of a text that is too long for the window of the model: its halves are read, and nothing is lost', async () => {
    const whole = bench.open({ stateFile: bench.file('whole.sqlite') })
    await feed(whole, { long: LONG })
    const models = scriptedModels()
    const engine = bench.open({
      models: {
        ...models,
        chat: async (role, request, signal) => {
          const isTooLong = messageText(request.messages[1]!).length > 1800
          if (role === 'graph_extract' && isTooLong)
            throw new ModelCallError('context_length_exceeded', role, 'the prompt is too long')
          return models.chat(role, request, signal)
        },
      },
    })
    await feed(engine, { long: LONG })
    expect(engine.statusCounts()).toMatchObject({ processed: 1, failed: 0 })
    const names = async (of: typeof engine) => (await of.graph(100)).nodes.map(({ id }) => id).sort()
    expect(await names(engine)).toEqual(await names(whole))
  })

  it('of a second turn that is too long for the window of the model: the first reply counts', async () => {
    const models = scriptedModels()
    const engine = bench.open({
      models: {
        ...models,
        chat: async (role, request, signal) => {
          if (role === 'graph_extract' && request.messages.length > 2)
            throw new ModelCallError('context_length_exceeded', role, 'the prompt is too long')
          return models.chat(role, request, signal)
        },
      },
    })
    await feed(engine, { a: YARD })
    expect(engine.statusCounts()).toMatchObject({ processed: 1, failed: 0 })
    expect(engine.extraction()).toMatchObject({ chunks_parsed: 1, items_dropped: 1 })
  })

  it('keeps the keywords of relations, and what a second turn in the same conversation adds', async () => {
    const asked: number[] = []
    const models = scriptedModels()
    const turns: ScriptedModels = {
      ...models,
      chat: async (role, request, signal) => {
        if (role !== 'graph_extract') return models.chat(role, request, signal)
        asked.push(request.messages.length)
        const known = { name: 'Ann', type: 'person', description: 'Ann is here.' }
        const relation = {
          source: 'Ann',
          target: 'Bo',
          keywords: ['advice', 'lighting'],
          description: 'Ann advised Bo.',
        }
        const bo = { name: 'Bo', type: 'person', description: 'Bo is here too.' }
        const reply =
          request.messages.length === 2
            ? { entities: [known], relations: [] }
            : { entities: [{ ...known, description: 'Other words.' }, bo], relations: [relation] }
        return chatCompletion(role, JSON.stringify(reply), { promptTokens: 1, completionTokens: 1 })
      },
    }
    const engine = bench.open({ models: turns })
    await feed(engine, { a: 'Ann advised Bo.' })
    expect(asked).toEqual([2, 4])
    const { nodes, edges } = await engine.graph(10)
    expect(nodes.map(({ label }) => label).sort()).toEqual(['Ann', 'Bo'])
    expect(edges).toMatchObject([{ keywords: ['advice', 'lighting'], weight: 1 }])
  })

  it('of a reply whose lists are full: the halves of the text are read, it is counted, and no entry is left out', async () => {
    const most = (text: string) => {
      const names = [...new Set(text.match(/Guest \d+/g))].slice(0, 40)
      const entities = names.map((name) => ({ name, type: 'person', description: text.slice(0, 20) }))
      return JSON.stringify({ entities, relations: [] })
    }
    const engine = bench.open({ models: scriptedModels({ onExtract: async ({ text }) => most(text) }) })
    const text = Array.from({ length: 60 }, (_, number) => line(number)).join('\n\n')
    await feed(engine, { long: text })
    expect(engine.extraction()).toMatchObject({ chunks_parsed: 1, chunks_truncated: 1, items_dropped: 0 })
    expect((await engine.graph(100)).nodes).toHaveLength(60)
  })

  it('of a reply that is cut for a few sentences too: the document fails and names the limit', async () => {
    const engine = bench.open({ models: cutting(0) })
    await feed(engine, { long: LONG })
    const [document] = engine.documents({
      page: 1,
      page_size: 10,
      sort_field: 'id',
      sort_direction: 'asc',
    }).documents
    expect(document).toMatchObject({ status: 'failed' })
    expect(document!.error_msg).toMatch(
      /cut at its length limit after 5 tokens. Give the model of graph_extract more room/,
    )
  })
})
