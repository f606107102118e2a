import { expect, it } from 'vitest'
import { GraphQueryRequest } from '../../../../../contract/http/graph-engine.ts'
import { messageText } from '../../../../../contract/http/chat.ts'
import { feed, useEngineBench } from '../../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels, type ScriptedModels } from '../../../../../tests/helpers/scripted-models.ts'
import { chatCompletion } from '../../../models/openai/chat-completion.ts'
import { ModelCallError } from '../../../models/model-host.ts'

const bench = useEngineBench()

const fact = (at: number) => `Ann/person > met > Guest ${at}/person: Ann met guest ${at} on the quay.`
const documents = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at}`, fact(at)]))
const JOINED = 'Ann met all guests on the quay.'

/** Models that join descriptions; `joined` names what was joined, call by call. */
function joining(fails = false): ScriptedModels & { joined: string[] } {
  const models = scriptedModels()
  const joined: string[] = []
  return {
    ...models,
    joined,
    chat: async (role, request, signal) => {
      const text = messageText(request.messages.at(-1)!)
      if (!text.includes('<descriptions>')) return models.chat(role, request, signal)
      joined.push(text)
      if (fails) throw new ModelCallError('upstream_error', role, 'down')
      return chatCompletion(role, JOINED, { promptTokens: 1, completionTokens: 1 })
    },
  }
}

const described = async (engine: ReturnType<typeof bench.open>) => {
  const { data } = await engine.query(
    GraphQueryRequest.parse({
      query: 'Whom did Ann meet?',
      mode: 'local',
      only_need_context: true,
      ll_keywords: ['Ann'],
    }),
  )
  return data.entities.find(({ entity_name: name }) => name === 'Ann')!.description
}

it('eight descriptions of an entity are joined by the model, once: a later graph and a restart read what is kept', async () => {
  const models = joining()
  const engine = bench.open({ models })
  await feed(engine, documents(8))
  expect(models.joined).toHaveLength(1)
  expect(models.joined[0]).toContain('Ann met guest 7 on the quay.')
  expect(await described(engine)).toBe(JOINED)
  await engine.close()
  const again = joining()
  const reopened = bench.open({ models: again })
  expect(await described(reopened)).toBe(JOINED)
  expect(again.joined).toEqual([])
})

it('seven descriptions stay as the texts write them', async () => {
  const models = joining()
  const engine = bench.open({ models })
  await feed(engine, documents(7))
  expect(models.joined).toEqual([])
  expect((await described(engine)).split('<SEP>')).toHaveLength(7)
})

it('a model that fails to join leaves the sentences, and the graph is built', async () => {
  const models = joining(true)
  const engine = bench.open({ models })
  await feed(engine, documents(8))
  expect(models.joined.length).toBeGreaterThan(0)
  expect((await described(engine)).split('<SEP>')).toHaveLength(8)
})
