import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPackedLists } from './packed-lists.ts'

it('packed lists come back at their positions as they were added, large numbers included, also when they were stored between', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 2 ** 31 - 1 }))
  const some = fc.array(fc.array(number, { maxLength: 8 }), { maxLength: 60 })
  fc.assert(
    fc.property(some, some, (first, second) => {
      const lists = createPackedLists()
      for (const list of first) lists.add(list)
      const again = createPackedLists({ ends: lists.ends(), bytes: Uint8Array.from(lists.bytes()) })
      for (const list of second) again.add(list)
      const all = [...first, ...second]
      expect(again).toHaveLength(all.length)
      expect(all.map((_, at) => again.at(at))).toEqual(all)
      expect(() => again.clear()).not.toThrow()
    }),
  )
})
