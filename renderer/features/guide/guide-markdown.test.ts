import { expect, it } from 'vitest'
import { guideBlocks, guideSpans } from './guide-markdown.ts'

it('the guide’s Markdown is read as headings, paragraphs, lists, code and tables', () => {
  const markdown = [
    '# Own data',
    '',
    'One line',
    'and its rest.',
    '',
    '1. First:',
    '',
    '   ```',
    '   - not a list',
    '   ```',
    '',
    '2. Second',
    '',
    '| `a` | b |',
    '|---|---:|',
    '| 1 | 2 \\| 3 |',
  ].join('\n')
  expect(guideBlocks(markdown)).toEqual([
    { kind: 'heading', level: 1, text: 'Own data', id: 'own-data' },
    { kind: 'paragraph', text: 'One line and its rest.' },
    {
      kind: 'list',
      ordered: true,
      items: [
        [
          { kind: 'paragraph', text: 'First:' },
          { kind: 'code', text: '- not a list' },
        ],
        [{ kind: 'paragraph', text: 'Second' }],
      ],
    },
    { kind: 'table', head: ['`a`', 'b'], rows: [['1', '2 | 3']] },
  ])
})

it('code, emphasis and links inside a text are read as spans', () => {
  expect(guideSpans('Run `npm *ci*` **now**, *once*: [how](first-run.md#the-pages).')).toEqual([
    { kind: 'text', text: 'Run ' },
    { kind: 'code', text: 'npm *ci*' },
    { kind: 'text', text: ' ' },
    { kind: 'strong', text: 'now' },
    { kind: 'text', text: ', ' },
    { kind: 'emphasis', text: 'once' },
    { kind: 'text', text: ': ' },
    { kind: 'link', text: 'how', target: 'first-run.md#the-pages' },
    { kind: 'text', text: '.' },
  ])
})
