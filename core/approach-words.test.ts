import { expect, it } from 'vitest'
import { BaseApproach, KEYWORD_BASELINE } from '../contract/approaches.ts'
import { approachAbout } from './approach-words.ts'

const about = (alias: string, base: BaseApproach = alias as BaseApproach, parameters = {}) =>
  approachAbout({ alias, base, parameters })

it('every approach of the program has a sentence of what it does and how many model calls it takes', () => {
  for (const base of BaseApproach.options.filter((each) => each !== 'own-approach'))
    expect(about(base, base, { max_steps: 6 }), base).toMatch(/^[a-z].*; .*model calls?/)
  expect(about(KEYWORD_BASELINE, 'hybrid-rag')).toBe('keyword search alone; 1 model call')
  expect(about('mine', 'own-approach')).toBeUndefined()
})

it('what an approach costs follows its parameters, and names the calls of its ingestion', () => {
  expect(about('agentic-rag', 'agentic-rag', { max_steps: 8 })).toMatch(
    /; usually 4 model calls, at ingestion several for the graph$/,
  )
  expect(about('contextual-rag')).toMatch(/; 1 model call, at ingestion 1 for each chunk$/)
  expect(about('workflow-adaptive-rag')).toMatch(
    /; usually 3 model calls, at ingestion 1 for each chunk and several for the graph$/,
  )
})
