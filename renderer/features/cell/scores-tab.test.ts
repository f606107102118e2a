import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { CellJudging } from '../../../contract/control/cells.ts'
import { JudgePreparation } from './scores-tab.tsx'

const shown = { answered: true, characters: 1200, capped: false, neutralized: false, sha256: 'a'.repeat(64) }
const textOf = (judging: CellJudging): string =>
  renderToStaticMarkup(createElement(JudgePreparation, { judging })).replace(/<[^>]*>/g, '')

it.each<[string, CellJudging, string]>([
  ['as it is', { shown, withheld: [], blocked: [] }, 'The judges saw this answer as it is.'],
  [
    'with texts withheld',
    {
      shown: { ...shown, neutralized: true },
      withheld: [{ kind: 'alias', text: 'hybrid-rag', found_in: 'vanilla-rag' }],
      blocked: [],
    },
    'because it names an approach:“hybrid-rag” name of an approach, in the answer of vanilla-rag',
  ],
  [
    'cut',
    { shown: { ...shown, capped: true }, withheld: [], blocked: [] },
    'the beginning of this answer: 1\u2009200 characters.',
  ],
  [
    'not at all',
    { shown: null, withheld: [], blocked: [{ kind: 'engine', text: 'LightRAG', found_in: 'reference' }] },
    'No judge was shown this question: its prompt would have named an approach.“LightRAG” name of a product, in the ground truth',
  ],
  ['as no answer', { shown: { ...shown, answered: false }, withheld: [], blocked: [] }, 'The judges saw “no answer”'],
  ['as the file does not record', { shown: null, withheld: [], blocked: [] }, 'do not record what the judges saw'],
])('an answer that judges saw %s reports it', (_how, judging, words) => expect(textOf(judging)).toContain(words))
