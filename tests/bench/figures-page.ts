import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { programRevision } from '../../main/manifests/project/program-revision.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { number, type Figure } from './figure.ts'

const PAGE = join(PROJECT_ROOT, 'docs/figures.md')
/** Holds a page of each benchmark with all its figures. */
const FOLDER = join(PROJECT_ROOT, 'docs/figures')

/** Lists what each target asks for. A timing is a limit for two processor cores unless stated otherwise. */
const TARGETS: readonly (readonly [id: string, area: string, wanted: string])[] = [
  [
    'P1',
    'run against a stub gateway',
    'without evaluation but with one synced row per cell, 200 cells take at most 0.2 and 2,000 cells at most 0.15 of the time that promptfoo 0.123 takes at concurrency 8 in the same sitting; at most 200 MB',
  ],
  ['P2', 'memory of a long run', '21,420 cells stay below 200 MB in the runner, level after the first 2,000'],
  [
    'P3',
    'resume plan',
    '200,000 rows in at most 10 s with at most 300 MB (1 s with a valid index, which a plan does not read: it checks the rows themselves)',
  ],
  ['P4', 'index rebuild', '100,000 rows of 1 to 4 KB in at most 5 s'],
  [
    'P5',
    'very large answers',
    '1,000 cells of 1 MB each: the matrix opens, no message exceeds 1 MB, the page uses at most 300 MB',
  ],
  [
    'P6',
    'very large matrix',
    '100,000 cells: first paint within 300 ms of the query, 95 % of the frames within 16.7 ms while scrolling, at most 3,000 DOM nodes',
  ],
  ['P7', 'comparison of runs', '50 runs of 2,000 questions within 500 ms; a filter or sort within 100 ms'],
  ['P8', 'summary and CSV', '100,000 rows in at most 3 s and 300 MB; a second run writes the same bytes'],
  ['P9', 'list of runs', '1,000 runs within 100 ms'],
  [
    'P10',
    'killed processes',
    'one to three runners killed 1,000 times at random: no acknowledged row is lost, no model is called twice for a cell',
  ],
  ['P11', 'reads during a run', '99 % of the reads within 50 ms while 200 rows a second are appended'],
  ['P12', 'evaluator faults', 'every injected fault ends as its own typed error'],
  [
    'P13',
    'paired comparisons',
    '10,000 resamples of 7 approaches × 4 metrics × 2,000 questions within 1 s, outside the user interface; simulated 95 % intervals hold the true value in 93 to 97 % of the cases, from 8 clusters up and close to 0 and 1',
  ],
  [
    'P14',
    'position effect of judges',
    'for a simulated judge with a known position bias, at least 93 % of the reported intervals contain it',
  ],
  ['P15', 'hybrid search', '10,000 chunks of 768 dimensions: median of at most 8 ms in the store and 15 ms over HTTP'],
  ['P16', 'PDF conversion', 'at least 20 pages a second with text and tables, at least 1 scanned page a second'],
  ['P17', 'cost of a cell', 'median of at most 2 ms over a bare HTTP call, the sync of the row not counted'],
  [
    'P18',
    'responsive main process',
    '99 % of the event-loop delays within 50 ms during a run, a conversion and an index rebuild',
  ],
  [
    'P19',
    'growing corpora',
    'from 250 to 20,000 documents the processor time per document stays within 20 %; at 20,000 the platform uses at most 600 MB and 15 times the text on disk, and answers 99 % of the calls within 50 ms; 100,000 documents take at most 15 minutes without the graph, 90 with it',
  ],
  [
    'P20',
    'retrieval quality',
    'over unseen sets together hybrid search finds 0.02 more gold documents in the first 5 than stemmed BM25 and loses at most 0.005 on each; for questions of 2 hops and more, agentic, lazy and graph retrieval find all of them a third more often; fusion alone loses at most 0.01 against its better leg; docs/validity.md has the sets that no one had seen',
  ],
  [
    'P21',
    'several workers',
    'with calls of 20 ms, 4 workers on one database make at least 3.2 times the cells a second of one; 1,000,000 cells are planned within 60 s and 500 MB',
  ],
  [
    'P22',
    'own model, own data',
    'at most 6 clicks and no edited file from a fresh start to an own model in use; at most 10 minutes from a folder of 20 files to a verdict',
  ],
  [
    'P23',
    'installation and tests',
    '`npm ci` installs at most 900 MB, the first result follows within 60 s, `npm test` takes at most 8 minutes on 2 idle cores and everything in CI 20; a fresh clone has at most 40 MB',
  ],
  [
    'P24',
    'intervals and power on real cluster structures',
    'equal, unequal and shared documents, and scores near a ceiling: intervals of differences hold the true value in 93 to 97 % of the cases, power is at least 0.9 of a mixed model’s, planned power within 0.05 of the simulated one',
  ],
  [
    'P25',
    'start',
    '`rag-ladder help` takes at most 0.25 s of processor time, the first cell of `smoke` is stored 1.5 s after the command, each place of the panel is painted 300 ms after the engine’s last answer',
  ],
  [
    'P26',
    'long life',
    '20 minutes of asking, changing, ingesting, converting, speaking and browsing: handles and memory stay level, 99 % of the event-loop delays within 50 ms, no answer later than 1 s (`npm run prove:soak`)',
  ],
  [
    'P27',
    'tuning',
    '50 settings without effect claim an improvement in at most 5 % of the simulations, a true one of 0.08 is found in at least 80 % (`main/statistics/tuning/tuning.test.ts`)',
  ],
]

/** Why a target is missed, where that was looked at; a figure without an entry was measured and not explained. */
const REASONS: Readonly<Record<string, string>> = {
  P1: 'the program takes .8 s to start: a quarter is loading modules, a sixth reading and checking manifests; every cell is synced',
  P2: 'what is kept after collections is level; the rest is memory that V8 and the C library have taken and not given back',
  P4: 'half of the writing thread is SQLite, which stores each cell and adds its words to the full-text index; rows are parsed in another thread: [hot spots](hot-spots.md)',
  P6: 'this machine draws by the processor; script, style and layout of a frame stay within it',
  P8: 'a quarter is reading rows and comparing their checksums, a sixth the collector in 300 MB: [hot spots](hot-spots.md)',
  P13: '[decision 203](decisions/203-checked-against-a-mixed-model.md)',
  P24: '[decision 203](decisions/203-checked-against-a-mixed-model.md)',
  P15: 'half is the comparison with each of 10,000 vectors, 40 % the keyword search; it varies by 1 ms between sittings: [hot spots](hot-spots.md)',
  P25: 'half is the start of the platform, two thirds of it loading modules; the first answer loads what the others find loaded: [hot spots](hot-spots.md)',
  P19: 'a small corpus pays for the empty tables of four files; health waits for a processor, because vectors and graph keep both of them busy ([decision 225](decisions/225-vectors-of-a-model.md))',
  log: 'measured beside other work, whose load the page of the benchmark names',
  P20: 'rules play the models here; [validity](validity.md) has the sets that no one had seen',
  P22: 'measured beside other work, whose load the page of the benchmark names',
  ladder:
    'a graph of an unchanged corpus is built again while the cells are planned, and rules keep no vectors ([decision 095](decisions/095-ingestion-of-large-corpora.md)); those of other models are kept',
}

/** The text of the page above the tables. */
const FIGURES_HEAD = `# Figures

The page of each benchmark is the last output of \`npm run bench -- --write\` for it, and shows the program of its day: what changed since is not in it. ● meets its target, ▲ misses it; a figure without a mark
has no target. The load is the number of processes that waited for a processor when the benchmark ended: on a busy machine, elapsed times are longer.

## Targets

Benchmarks, tests and decision records name these targets. A target without figures in the pages below was not measured with \`npm run bench\`.

| target | about | wanted |
|---|---|---|
${TARGETS.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}
`

const row = ({ id, what, value, unit, target, met }: Figure): string =>
  `| ${met === null ? '' : met ? '●' : '▲'} | ${id} | ${what} | ${number(value)} ${unit} | ${target} |`.replaceAll(
    '  ',
    ' ',
  )

const TABLE_HEAD = '| | target | what | measured | wanted |\n|---|---|---|---:|---|'
const MISSED_HEAD = '| | target | what | measured | wanted | reason |\n|---|---|---|---:|---|---|'

/** A line of a missed target, with its reason where one is known. */
const withReason = (line: string): string =>
  `${line} ${REASONS[/^\| ▲ \| (\w+)/.exec(line)?.[1] ?? ''] ?? ''} |`.replaceAll('  ', ' ')

/** `revision` is the commit that was measured; null where git does not name it. */
export const benchmarkPage = (name: string, figures: readonly Figure[], revision: string | null): string =>
  [
    `# Figures: ${name}\n`,
    `${new Date().toISOString().slice(0, 10)}, commit ${shortRevision(revision)}, ${availableParallelism()} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), load ${loadavg()[0]!.toFixed(1)}.\n`,
    TABLE_HEAD,
    ...figures.map(row),
    '',
  ].join('\n')

const shortRevision = (revision: string | null): string =>
  revision?.replace(/^([0-9a-f]{8})[0-9a-f]*/, '$1') ?? 'unknown'

/** The page that leads to those of the benchmarks, given by name, and lists each figure that misses its target. */
export function figuresPage(pages: ReadonlyMap<string, string>): string {
  const benchmarks = [...pages]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => {
      const lines = text.split('\n').filter((line) => /^\| [●▲]? ?\|/.test(line) && !line.startsWith('| | target |'))
      const marked = (sign: string): string[] => lines.filter((line) => line.startsWith(`| ${sign} |`))
      const date = /^\d{4}-\d{2}-\d{2}/m.exec(text)?.[0] ?? ''
      const [met, missed] = [marked('●'), marked('▲')]
      const counts = [lines, met, missed].map(({ length }) => `${length} |`).join(' ')
      return { line: `| [${name}](figures/${name}.md) | ${date} | ${counts}`, missed }
    })
  const missed = benchmarks.flatMap(({ missed }) => missed)
  return [
    FIGURES_HEAD,
    '## Benchmarks\n',
    '| benchmark | measured on | figures | ● | ▲ |\n|---|---|---:|---:|---:|',
    ...benchmarks.map(({ line }) => line),
    '\n## Missed targets\n',
    ...(missed.length === 0 ? ['None.'] : [MISSED_HEAD, ...missed.map(withReason)]),
    '',
  ].join('\n')
}

/** The pages of the benchmarks by name. */
export async function benchmarkPages(): Promise<Map<string, string>> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.md'))
  const read = names.map(async (name) => [name.slice(0, -3), await readFile(join(FOLDER, name), 'utf8')] as const)
  return new Map(await Promise.all(read))
}

/** Writes the page of one benchmark and the one that leads to it. */
export async function writeFigures(name: string, figures: readonly Figure[]): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(join(FOLDER, `${name}.md`), benchmarkPage(name, figures, await programRevision()))
  await writeFile(PAGE, figuresPage(await benchmarkPages()))
}
