import { readFile, writeFile } from 'node:fs/promises'
import { ASKED_FIGURES } from '../contract/asked-figures.ts'
import { METRICS } from '../contract/metrics/metrics.ts'
import type { MethodStatement } from '../contract/method-statement.ts'
import { METHODS, relationSentence } from './methods.ts'
import { ROUTING } from '../contract/routing.ts'
import { answerHelp } from './answer-help.ts'

const FILE = new URL('../docs/GLOSSARY.md', import.meta.url)
const METHODS_FILE = new URL('../docs/methods.md', import.meta.url)

const TABLE = '|---|---|'

const row = (word: string, meaning: string): string => `| ${word} | ${meaning} |`
const wordOf = (line: string): string => line.split(' | ')[0]!.slice(2)

/** The glossary with each metric in the words of its descriptor, and the rows of its table in the order of the alphabet. Throws where it has no table. */
export function withMetrics(text: string): string {
  const [head, body] = text.split(`${TABLE}\n`)
  if (head === undefined || body === undefined) throw new Error('docs/GLOSSARY.md has no table')
  const rows = new Map(
    body
      .trimEnd()
      .split('\n')
      .map((line) => [wordOf(line), line]),
  )
  for (const { label, definition } of [...METRICS, ...ASKED_FIGURES]) rows.set(label, row(label, definition))
  const ordered = [...rows.values()].toSorted((a, b) => wordOf(a).localeCompare(wordOf(b), 'en'))
  return `${head}${TABLE}\n${ordered.join('\n')}\n`
}

const listed = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `\n${title}\n\n${items.map((item) => `- ${item}\n`).join('')}`

const methodEntry = ([name, method]: [string, MethodStatement]): string =>
  `## ${name}\n\n${relationSentence(method)}\n${listed('The same:', method.same)}${listed('Different:', method.differs)}`

const GRADED = METRICS.flatMap((metric): [string, MethodStatement][] =>
  'method' in metric ? [[metric.label, metric.method]] : [],
)

const ASKED = ASKED_FIGURES.map(({ label, method }): [string, MethodStatement] => [label, method])

/** docs/methods.md, from the table of methods. */
const methodsPage = (): string =>
  [
    '# Methods and what they follow',
    'Approaches and graded metrics of this project beside the published methods that they follow. “Faithful” has every essential step, “similar” the essential idea with steps that differ, “different” is another method of the family. Written by `npm run glossary` from `build/methods.ts`, `contract/asked-figures.ts` and the files of `contract/metrics`.',
    ...[...Object.entries(METHODS), ...GRADED, ...ASKED].map((entry) => methodEntry(entry).trimEnd()),
    '## Prompts',
    '`contract/prompts.ts` has the prompts that answer (`answer`, `agent`) with source and version. A flavor replaces them by `--prompt`; rows record name, version and digest, and the trace of a cell shows what was sent. No flavor replaces the others, which are in `providers/platform/models/prompts`, `providers/platform/evaluator/critics/critic-tasks.ts` and `core/judging/judge-prompt.ts`:',
    [
      '- Contexts of chunks, extraction of the graph, descriptions and summaries are written once, when a corpus is ingested, and every approach and flavor of a run reads them. A flavor with a prompt of its own would need an ingestion of its own.',
      '- Evaluator and judges have to grade all approaches of a run alike: a prompt that a flavor sets would change the measure with what is measured. Evaluations record name, version and digest of the evaluator’s prompts, judgments name and version of the judges’.',
      '- The adaptive workflow, hyde-rag, multi-query-rag and raptor-rag have no flavors. The keywords of a graph question are a call of the graph engine, whose protocol has no field for their prompt.',
      '- Reranking and lazy-graph search ask no chat model, so they have no prompt but that of the answer.',
    ].join('\n'),
    '## Routes of the adaptive workflow',
    'Where `manifests/workflows/adaptive-rag.json` sends each kind of question, and what that was decided by. `rag-ladder routes` prints it; `contract/routing.ts` has it.',
    [
      '| route | approach | decided by |',
      '| --- | --- | --- |',
      ...ROUTING.map(({ route, approach, evidence }) => `| ${route} | ${approach} | ${evidence} |`),
    ].join('\n'),
  ].join('\n\n') + '\n'

/** Returns true when docs/methods.md has every method in the words of the table. */
export const isMethodsPageCurrent = async (): Promise<boolean> =>
  (await readFile(METHODS_FILE, 'utf8').catch(() => '')) === methodsPage()

/** Returns true when docs/GLOSSARY.md defines every metric in the words of its descriptor. */
export async function isGlossaryCurrent(): Promise<boolean> {
  const text = await readFile(FILE, 'utf8').catch(() => '')
  return text === withMetrics(text)
}

if (import.meta.main) {
  answerHelp('npm run glossary: writes the metrics into docs/GLOSSARY.md and the methods into docs/methods.md')
  await writeFile(FILE, withMetrics(await readFile(FILE, 'utf8')))
  await writeFile(METHODS_FILE, methodsPage())
  console.log('docs/GLOSSARY.md and docs/methods.md written')
}
