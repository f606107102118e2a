import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { isEnglishWord } from '../../providers/platform/models/builtin/language/lexicon.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

// A rule that was written with a question in view measures that question. What the program knows of language must come from elsewhere.

const { datasets } = await loadExperiment(PROJECT_ROOT)
const rungs = datasets.filter(({ dataset }) => dataset.complexity_level > 0)
const texts = rungs.flatMap(({ dataset, questions }) => [
  ...questions.map(({ query }) => query),
  ...readdirSync(join(PROJECT_ROOT, dataset.corpus_path)).map((name) =>
    readFileSync(join(PROJECT_ROOT, dataset.corpus_path, name), 'utf8'),
  ),
])
const NAME = /(?<![\p{L}\p{N}'’-])\p{Lu}\p{L}{3,}(?: \p{Lu}\p{L}+)*(?![\p{L}\p{N}])/gu
const CODE = /\b[A-Z]{1,4}-?\d{3,}[A-Z]?\b/g
const isPlain = (word: string): boolean => isEnglishWord(word.toLowerCase())
/** Words of the world that are in the dictionaries of no language, and names of it that code may need. */
const COMMON = new Set(['Everything', 'Linux', 'Celsius', 'Newton', 'Anderton', 'Amazon', 'Windows'])
/** Names of several words and words of no dictionary, and codes. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(NAME), ...text.matchAll(CODE)]
    .map(([name]) => name)
    .filter((name) => !COMMON.has(name) && (/\d| /.test(name) || !isPlain(name)))

const words = (text: string): string => ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
const files = execFileSync('git', ['ls-files', 'providers/platform', 'main', 'contract', 'core'], {
  cwd: PROJECT_ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const lines = files.flatMap((file) =>
  readFileSync(join(PROJECT_ROOT, file), 'utf8')
    .split('\n')
    .map((line, at) => ({ at: `${file}:${at + 1}`, line })),
)

it('no code of the product names a thing of the rungs', () => {
  const known = new Set(texts.flatMap(namesIn))
  expect(known.size).toBeGreaterThan(500)
  const found = lines.flatMap(({ at, line }) =>
    namesIn(line).flatMap((name) => (known.has(name) ? [`${at}: ${name}`] : [])),
  )
  expect(found).toEqual([])
})

it('no comment of a rule quotes three words or more of a question of the rungs', () => {
  const asked = rungs.map(({ questions }) => questions.map(({ query }) => words(query)).join('|')).join('|')
  const quoted = lines
    .filter(({ at, line }) => at.startsWith('providers/platform') && /^\s*(?:\/\/|\/?\*)/.test(line))
    .flatMap(({ at, line }) => [...line.matchAll(/"([^"]+)"/g)].map(([, phrase]) => ({ at, phrase: words(phrase!) })))
  expect(quoted.length).toBeGreaterThan(50)
  // Three words of grammar, such as "who was the", are in every question.
  const isTelling = (phrase: string): boolean =>
    phrase
      .trim()
      .split(' ')
      .filter((word) => word.length > 3).length > 1
  expect(
    quoted.filter(({ phrase }) => phrase.trim().split(' ').length > 2 && isTelling(phrase) && asked.includes(phrase)),
  ).toEqual([])
})
