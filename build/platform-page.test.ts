import { expect, it } from 'vitest'
import { isPlatformPageCurrent, undocumentedRoutes } from './platform-page.ts'

it('docs/platform.md lists every route of the policy table once, and no other', () => {
  expect(undocumentedRoutes()).toEqual([])
})

it('docs/platform.md is as npm run settings writes it', async () => {
  expect(await isPlatformPageCurrent()).toBe(true)
})
