// The tables of docs/validity.md that the two published ladders give: facts found at equal and at declared amounts of text, and what each approach is
// above hybrid in both. They are written by a program, so that no figure there is older than the runs beside it.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Aggregate } from '../contract/evidence/aggregate.ts'
import { countWords, intervalWords, scoreWords, signedWords } from '../contract/words.ts'
import { readAggregate } from '../main/report/publication/write-artifacts.ts'

const PAGE = 'docs/validity.md'
const EQUAL = 'docs/results/embedded-baseline'
const NATIVE = 'docs/results/native/native-amounts'
const RUNGS = ['baseline_curated', 'graph_native', 'cyber_threat_intel']
const REFERENCE = 'hybrid-rag'

type Names = 'means' | 'differences'

/** Returns both tables in Markdown, without a line end. Throws when a published summary is missing. */
export async function publishedTables(root: string): Promise<Record<Names, string>> {
  const read = (run: string): Promise<Aggregate[]> => Promise.all(RUNGS.map((rung) => summary(root, run, rung)))
  const [equal, native] = await Promise.all([read(EQUAL), read(NATIVE)])
  const rungs = equal.map(({ dataset }) => `${dataset.complexity_level} ${dataset.label}`)
  const models = equal[0]!.approaches.map(({ model }) => model)
  const means = models.map((model) => [
    `\`${model}\``,
    ...equal.map(
      (rung, at) => `${meanOf(rung, model)}; ${meanOf(native[at]!, model)} (${tokensOf(native[at]!, model)})`,
    ),
  ])
  const differences = models
    .filter((model) => model !== REFERENCE)
    .flatMap((model) =>
      equal.map((rung, at) => [
        `\`${model}\`, rung ${rung.dataset.complexity_level}`,
        `${differenceOf(native[at]!, model)} (${tokensOf(native[at]!, model)} tokens against ${tokensOf(native[at]!, REFERENCE)})`,
        differenceOf(rung, model),
      ]),
    )
  return {
    means: table(['', ...rungs], means),
    differences: table(['facts found minus hybrid’s', 'as declared', 'at 2,000 tokens'], differences),
  }
}

/** Returns the text of a page with the tables between their marks, `<!-- published: means -->` and `<!-- /published -->`. Throws where a mark is missing. */
export function withTables(text: string, tables: Readonly<Record<Names, string>>): string {
  return Object.entries(tables).reduce((page, [name, rows]) => {
    const mark = new RegExp(`(<!-- published: ${name} -->\\n\\n)[^]*?(\\n\\n<!-- /published -->)`)
    if (!mark.test(page)) throw new Error(`${PAGE} has no place for the table ${name}`)
    return page.replace(mark, (_, start: string, end: string) => start + rows + end)
  }, text)
}

/** Writes the tables into the page. */
export async function writePublishedTables(root: string): Promise<void> {
  const file = join(root, PAGE)
  await writeFile(file, withTables(await readFile(file, 'utf8'), await publishedTables(root)))
}

async function summary(root: string, run: string, rung: string): Promise<Aggregate> {
  const file = `${run}-${rung}-evaluation.json`
  const found = await readAggregate(join(root, file))
  if (found === null) throw new Error(`${file} is missing or not a summary`)
  return found
}

const approachOf = ({ approaches }: Aggregate, model: string) => approaches.find((one) => one.model === model)

function meanOf(rung: Aggregate, model: string): string {
  const mean = approachOf(rung, model)?.retrieval.facts_found?.mean ?? null
  return mean === null ? '–' : scoreWords(mean)
}

function tokensOf(rung: Aggregate, model: string): string {
  const median = approachOf(rung, model)?.context_tokens?.median ?? null
  return median === null ? 'unknown' : countWords(median)
}

/** The approach minus hybrid, on the questions that both answered. */
function differenceOf({ comparisons }: Aggregate, model: string): string {
  const pair = comparisons?.metrics
    .find(({ metric }) => metric === 'facts_found')
    ?.pairs.find(({ a, b }) => (a === model && b === REFERENCE) || (a === REFERENCE && b === model))
  const { value, interval } = pair?.difference ?? { value: null, interval: null }
  if (pair === undefined || value === null) return '–'
  const isFirst = pair.a === model
  const bounds = isFirst || interval === null ? interval : { low: -interval.high, high: -interval.low }
  const sign = signedWords(isFirst ? value : -value)
  return bounds === null ? `${sign} (no interval)` : `${sign} ${intervalWords(bounds)}`
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
