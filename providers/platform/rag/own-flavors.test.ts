import { expect, it } from 'vitest'
import { fakeModelHost } from '../../../tests/helpers/fake-model-host.ts'
import { consumer, flavors, ragFixture, WORLD } from '../../../tests/helpers/rag-fixture.ts'
import { withOwnFlavors } from '../../../contract/manifests/aliases.ts'
import { OwnFlavorsFile } from '../../../contract/manifests/flavors.ts'
import { messageText } from '../../../contract/http/chat.ts'
import type { GraphQueries, GraphQuestion } from './graph/graph-queries.ts'

const QUESTION = 'Who was master of the Grey Heron?'
const INSTRUCTIONS = 'Answer in French.'

/** A plugin with the flavors that a file declares, and what its graph engine was asked. */
async function open(own: Record<string, unknown>) {
  const joined = withOwnFlavors(consumer, flavors, OwnFlavorsFile.parse({ version: 1, flavors: own }))
  expect(joined.problems).toEqual([])
  const models = fakeModelHost()
  const asked: GraphQuestion[] = []
  const graph: GraphQueries = {
    answer: (question) => {
      asked.push(question)
      return Promise.resolve({ answer: 'Ysolde', counts: { entities: 1, relations: 1, chunks: 0 }, passages: null })
    },
    find: () => Promise.resolve({ entities: [], relations: [], chunks: [] }),
  }
  const fixture = await ragFixture(models, WORLD, { aliases: joined.consumer, flavors: joined.flavors, graph })
  models.calls.length = 0
  const answer = (model: string) =>
    fixture.plugin.answer(model, { model, messages: [{ role: 'user', content: QUESTION }] })
  const systems = () =>
    models.calls.flatMap(({ request }) => (request === null ? [] : [messageText(request.messages[0]!)]))
  return { plugin: fixture.plugin, answer, asked, systems }
}

it('answers an own flavor with its own parameters, beside the alias that it comes from', async () => {
  const { plugin, answer } = await open({ 'vanilla-k2': { base: 'vanilla-rag', parameters: { k: 2 } } })
  expect((await plugin.health()).aliases.map(({ alias }) => alias).slice(-2)).toEqual([
    'lazy-graph-rag-wide',
    'vanilla-k2',
  ])
  expect((await answer('vanilla-k2')).rag_extension!.sources).toHaveLength(2)
  expect((await answer('vanilla-rag')).rag_extension!.sources).toHaveLength(5)
})

it('gives the instructions of a flavor to the model that writes the answer, and to no other alias', async () => {
  const { answer, systems } = await open({
    'vanilla-fr': { base: 'vanilla-rag', parameters: { k: 2, instructions: INSTRUCTIONS } },
    'agent-fr': {
      base: 'agentic-rag',
      parameters: { max_steps: 2, vector_top_k: 3, max_contexts: 2, graph_mode: 'hybrid', instructions: INSTRUCTIONS },
    },
  })
  await answer('vanilla-rag')
  expect(systems()).toHaveLength(1)
  expect(systems()[0]).not.toContain(INSTRUCTIONS)
  await answer('vanilla-fr')
  await answer('agent-fr')
  expect(systems().slice(1).length).toBeGreaterThan(1)
  for (const system of systems().slice(1)) expect(system).toContain(`\nAdditional instructions: ${INSTRUCTIONS}\n`)
})

it('gives a prompt of a flavor to its model in place of the own one, and names it in the record of the answer', async () => {
  const answer_prompt = 'Use <passage> blocks, answer <question> in one word or write {no_answer}'
  const { answer, systems } = await open({
    'vanilla-word': { base: 'vanilla-rag', parameters: { k: 2, answer_prompt } },
  })
  const { rag_extension: own } = await answer('vanilla-rag')
  const { rag_extension: changed } = await answer('vanilla-word')
  expect(systems()[1]).toMatch(/^Use <passage> blocks, answer <question> in one word or write The passages do not/)
  expect(systems()[1]).not.toContain('Be brief')
  const promptOf = (extension: typeof own) => extension!.derivations!.at(-1)!.prompt
  expect([promptOf(own), promptOf(changed)]).toEqual([
    expect.stringMatching(/^answer \(v2\) [0-9a-f]{8}$/),
    expect.stringMatching(/^own prompt [0-9a-f]{8}$/),
  ])
})

it('asks the graph engine with settings of the flavor in place of a managed profile', async () => {
  const settings = { mode: 'local', top_k: 3, chunk_top_k: 2, max_total_tokens: 4000, enable_rerank: false } as const
  const { answer, asked } = await open({
    'graph-fr': { base: 'graph-rag', parameters: { ...settings, instructions: INSTRUCTIONS } },
  })
  const { rag_extension: extension } = await answer('graph-fr')
  await answer('graph-rag')
  expect(asked[0]).toEqual({ query: QUESTION, ...settings, user_prompt: INSTRUCTIONS })
  expect(extension!.graph).toEqual({ mode: 'local', entities: 1, relations: 1, chunks: 0 })
  expect(asked[1]).toMatchObject({ mode: 'hybrid', top_k: 10 })
  expect(asked[1]).not.toHaveProperty('user_prompt')
})
