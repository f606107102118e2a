import { expect, it } from 'vitest'
import { PAGE_GROUPS } from '../../renderer/app/page-list.ts'
import { MENU_GROUPS } from './menu-pages.ts'

it('the native menu lists every page of the panel, in its groups, order and names', () => {
  expect(MENU_GROUPS).toEqual(PAGE_GROUPS.map(({ pages }) => pages.map(({ path, label }) => ({ path, label }))))
})
