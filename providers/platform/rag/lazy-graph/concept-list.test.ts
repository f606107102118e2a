import { describe, expect, it } from 'vitest'
import { createConceptList, type ListedConcept } from './concept-list.ts'

describe('a list of concepts', () => {
  const concepts: ListedConcept[] = [
    ['heron', 'word', 3],
    ['grey heron', 'name', 2],
    ['e-4417', 'code', 1],
    ['ysolde – é', 'name_part', 7],
    ['salt trade', 'phrase', 2],
    ['grey heron', 'name', 9],
    ['e-4417', 'word', 5],
  ]
  const collected = createConceptList()
  for (const concept of concepts) collected.add(concept)
  const list = collected.done()

  it('has them in their order, also those with a key that another one has', () => {
    expect([...list]).toEqual(concepts)
    expect(list).toHaveLength(concepts.length)
    expect([-1, 0, 6, 7].map((position) => list.at(position)?.[2])).toEqual([undefined, 3, 5, undefined])
  })

  it('finds codes and names by their key, the last one where several have it, and no words or phrases', () => {
    const keys = ['heron', 'grey heron', 'e-4417', 'ysolde – é', 'salt trade', 'unknown', '__proto__']
    expect(keys.map((key) => list.named(key))).toEqual([null, 5, 2, 3, null, null, null])
  })
})
