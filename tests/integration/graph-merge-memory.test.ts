import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import type { ExtractedChunk } from '../../providers/platform/stores/graph-engine/stored-graph.ts'
import type { NameResolver } from '../../providers/platform/stores/graph-engine/resolution/resolve-names.ts'
import type { SlicedWork } from '../../core/sliced-work.ts'
import { mergingExtractions } from '../../providers/platform/stores/graph-engine/graph/merged-graph.ts'
import { extractedChunk } from '../helpers/knowledge-graph.ts'

// Here and not beside the code: the unit tests share their modules, so that a mock has no effect on those that are loaded already.

/** Lists what holds the names of the whole corpus. */
const held: WeakRef<object>[] = []

vi.mock(import('../../providers/platform/stores/graph-engine/resolution/resolve-names.ts'), async (importOriginal) => {
  const actual = await importOriginal()
  return {
    ...actual,
    *resolvingNames(documents) {
      const resolverOf = yield* actual.resolvingNames(documents)
      const holding = (document: readonly ExtractedChunk[]): SlicedWork<NameResolver> => resolverOf(document)
      held.push(new WeakRef(holding))
      return holding
    },
  }
})

const document = (id: string): ExtractedChunk[] => [
  extractedChunk(id, {
    entities: [{ name: `Person ${id}`, type: 'person', description: '' }],
    relations: [{ source: `Person ${id}`, target: 'Town', keywords: ['of'], description: '' }],
  }),
]

it('releases the names of the corpus before the mentions are put together', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  let reads = 0
  const documents = {
    *[Symbol.iterator]() {
      for (const id of ['a', 'b', 'c']) yield document(id)
      reads += 1
    },
  }
  const work = mergingExtractions(documents, 12)
  while (reads < 2) work.next()
  // The target of a new WeakRef stays until the turn ends.
  await pause(1)
  collectGarbage()
  expect(held.map((one) => one.deref())).toEqual([undefined])
  let step = work.next()
  while (step.done !== true) step = work.next()
  expect(step.value.entities).toHaveLength(4)
})
