import { expect, it } from 'vitest'
import { joinAliases } from './aliases.ts'
import type { AliasDeclaration, GraphQueryProfile } from './consumer.ts'
import type { Flavor } from './flavors.ts'

const declared = (alias: string, base: AliasDeclaration['base'] = 'vanilla-rag'): AliasDeclaration => ({
  alias,
  base,
  experimental: false,
  evidence: 'answer_with_contexts',
})
const flavor = (alias: string, k = 5): Flavor => ({
  alias,
  base: 'vanilla-rag',
  flavor: null,
  requires_reingest: false,
  parameters: { k },
})
const profile = (name: string): GraphQueryProfile => ({
  name,
  mode: 'hybrid',
  top_k: 1,
  chunk_top_k: 1,
  max_total_tokens: 256,
  enable_rerank: false,
})
const onGraph = (query_profile: string): Flavor => ({
  alias: 'g',
  base: 'graph-rag',
  flavor: null,
  requires_reingest: false,
  parameters: { query_profile },
})

it('aliases have the order of the consumer file and the parameters of the flavors file', () => {
  const consumer = { aliases: [declared('b'), declared('a')], graph_query_profiles: [] }
  const { aliases, problems } = joinAliases(consumer, { flavors: [flavor('a', 1), flavor('b', 2)] })
  expect(problems).toEqual([])
  expect([...aliases].map(([alias, joined]) => [alias, joined.flavor.parameters])).toEqual([
    ['b', { k: 2 }],
    ['a', { k: 1 }],
  ])
})

it('every difference between the consumer and flavors files is named', () => {
  const consumer = {
    aliases: [declared('lost'), declared('other', 'hybrid-rag'), declared('twice'), declared('g', 'graph-rag')],
    graph_query_profiles: [profile('here')],
  }
  const flavors = [flavor('other'), flavor('twice'), flavor('twice'), flavor('extra'), onGraph('gone')]
  expect(joinAliases(consumer, { flavors }).problems).toEqual([
    'the alias twice is listed twice: remove one of them',
    'the alias extra is not declared in consumer.yaml',
    'the alias g names the graph query profile gone, which consumer.yaml lacks',
    'the alias lost of consumer.yaml has no parameters',
    'the alias other has the base vanilla-rag here and hybrid-rag in consumer.yaml: name the same one',
  ])
  const found = { aliases: [declared('g', 'graph-rag')], graph_query_profiles: [profile('here')] }
  expect(joinAliases(found, { flavors: [onGraph('here')] }).problems).toEqual([])
})
