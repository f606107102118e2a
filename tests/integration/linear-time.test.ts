import { describe, expect, it } from 'vitest'
import { leakScan } from '../../main/judge/leak-scan.ts'
import { sanitizeForTerminal } from '../../main/lib/text/sanitize-for-terminal.ts'
import { parseRenderedEvidence } from '../../main/runner/cells/rendered-evidence.ts'
import { titleOf } from '../../providers/platform/stores/graph-engine/documents.ts'
import { findingAcronyms } from '../../providers/platform/stores/graph-engine/resolution/resolve-names.ts'
import { firstHeading } from '../../providers/platform/ingestion/parsers.ts'
import { blocksOf } from '../../providers/platform/models/builtin/language/blocks.ts'
import { plainText } from '../../providers/platform/models/builtin/language/plain-text.ts'
import { sentencesOf } from '../../providers/platform/models/builtin/language/sentences.ts'
import { scoreRelevance } from '../../providers/platform/models/builtin/relevance/score-relevance.ts'
import { runAtOnce } from '../../core/sliced-work.ts'
import { readSentences } from '../../providers/platform/rag/lazy-graph/sentences.ts'

const acronyms = (content: string): unknown =>
  runAtOnce(
    findingAcronyms(
      [
        {
          id: 'c',
          documentId: 'd',
          filePath: 'a',
          title: 'a',
          index: 0,
          tokens: 1,
          content,
          extraction: { entities: [], relations: [] },
        },
      ],
      new Map(),
    ),
  )

/** Everything that reads text which a stranger can write: answers, questions, documents, error messages. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  parseRenderedEvidence,
  sanitizeForTerminal,
  leakScan: leakScan(['vanilla-rag']),
  readSentences,
  blocksOf,
  plainText,
  sentencesOf,
  'scoreRelevance of a question': (text) => scoreRelevance(text, 'a lock'),
  'scoreRelevance of a passage': (text) => scoreRelevance('a lock', text),
  findingAcronyms: acronyms,
  firstHeading,
  titleOf: (text) => titleOf(text, 'a.md'),
}

/** Lists what a quadratic reader is slow at: runs of one mark, and openings that nothing closes. */
const PUMPS = [
  '\n',
  ' ',
  '	',
  '.',
  '!',
  '…',
  '[',
  '(',
  '*',
  '**',
  '_',
  '__',
  '`',
  '|',
  '-',
  '#',
  ':',
  '1',
  'a',
  'A',
  ')',
  '',
  '',
  '\x1B',
  '\x1B]',
  '[a',
  '[^',
  '[](',
  '**a ',
  '__a ',
  '**a **',
  '. ',
  '.\n',
  'A. ',
  'e.g. ',
  '1. ',
  '| ',
  '- ',
  ': ',
  '(A',
  '(NCB) ',
  'aa (NCB) ',
  '[data ',
  '[data 1',
  'sources ',
  '<details',
  '1.5 s ',
  '# ',
  'x\n# ',
  '"',
  '“',
  '1 LLM ',
  '*knowledge',
]
const BLANKS = ['\n', ' ', '\t', '1']
const PREFIXES = ['# ', 'sources', '-- ', '| --', '[data', '\u009d', '<details><summary>Sources</summary>']
const LENGTH = 60_000
/** Reading so much takes tens of milliseconds; with the square of the length it takes tens of seconds. */
const LIMIT_MS = 2500

describe('a reader of foreign text', () => {
  it.each(Object.entries(READERS))(
    'takes time in proportion to the text, whatever is repeated in it: %s',
    (name, read) => {
      const slow: string[] = []
      for (const [prefix, pump] of [
        ...PUMPS.map((pump) => ['', pump]),
        ...PREFIXES.flatMap((prefix) => BLANKS.map((pump) => [prefix, pump])),
      ]) {
        const text = `${prefix}${pump!.repeat(LENGTH / pump!.length)}\u0001x`
        const started = performance.now()
        read(text)
        const tookMs = performance.now() - started
        if (tookMs > LIMIT_MS)
          slow.push(`${name} of ${JSON.stringify(`${prefix}${pump}`)} repeated: ${tookMs.toFixed(0)} ms`)
      }
      expect(slow).toEqual([])
    },
  )
})
