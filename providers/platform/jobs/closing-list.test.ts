import { expect, it } from 'vitest'
import { createClosingList } from './closing-list.ts'

it('closes in reverse order, once, and continues after a failure', async () => {
  const order: string[] = []
  const list = createClosingList()
  list.add(async () => order.push('first'))
  list.add(async () => Promise.reject(new Error('stuck')))
  list.add(async () => order.push('last'))
  await expect(list.closeAll()).rejects.toMatchObject({ errors: [new Error('stuck')] })
  expect(order).toEqual(['last', 'first'])
  await list.closeAll()
  expect(order).toHaveLength(2)
})
