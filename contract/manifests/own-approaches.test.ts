import { expect, it } from 'vitest'
import { httpPlan, OwnApproach, ownApproachProblems, type HttpApproach } from './own-approaches.ts'

const lightrag = { version: 1, kind: 'chat', preset: 'lightrag', url: 'http://127.0.0.1:9621' }

it('a field of a mapping replaces that field of the preset, and leaves the others as they are', () => {
  const plain = OwnApproach.parse(lightrag) as HttpApproach
  const changed = OwnApproach.parse({ ...lightrag, reply: { markers: ['id'] } }) as HttpApproach
  expect(ownApproachProblems(changed)).toEqual([])
  expect(httpPlan(changed).reply).toEqual({ ...httpPlan(plain).reply, markers: ['id'] })
  const without = OwnApproach.parse({ ...lightrag, reply: { contexts: null } }) as HttpApproach
  expect(httpPlan(without).reply.contexts).toBeNull()
})
