import { expect, it } from 'vitest'
import { PAGES } from '../../renderer/app/page-list.ts'
import { MENU_PAGES } from './menu-pages.ts'

it('goes only to pages that the panel has, by the names it has for them', () => {
  const known = PAGES.map(({ path, label }) => ({ path, label }))
  for (const page of MENU_PAGES) expect(known).toContainEqual(page)
})
