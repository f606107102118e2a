import { expect, it } from 'vitest'
import { pageTitle } from './page-title.ts'

it('the title names the page, and how far the run under way is', () => {
  const progress = { done: 65, total: 144 }
  expect(pageTitle('Matrix', { state: 'running' }, progress)).toBe('45 % · Matrix · RAG Ladder')
  expect(pageTitle('Matrix', { state: 'paused' }, progress)).toBe('Matrix · RAG Ladder')
  expect(pageTitle('Home', { state: 'running' }, { done: 0, total: 0 })).toBe('Home · RAG Ladder')
  expect(pageTitle(undefined, null, null)).toBe('RAG Ladder')
})
