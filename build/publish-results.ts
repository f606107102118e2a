// Makes the published results again: the ladder at equal amounts of text (`docs/results`), the spoken notes, the ladder as the approaches are declared
// (`docs/results/native`), the figures of one with the embeddings of a language model (`docs/results/local-embeddings`, from weights that
// `models fetch` has put there), and what other words for the questions change (`docs/results/in-other-words.md`). A run is made by a commit, so that
// the tree must be clean. Takes about half an hour.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import { answerHelp } from './answer-help.ts'
import { writePublishedTables } from './published-tables.ts'

answerHelp(
  'npm run publish:results: makes the runs of docs/results again by this commit, and publishes them; the tree must be clean',
)

const ROOT = resolve('.')
const RUNGS = 'baseline_curated,graph_native,cyber_threat_intel'
const EIGHT = 'bm25,vanilla-rag,hybrid-rag,contextual-rag,graph-rag,agentic-rag,workflow-adaptive-rag,lazy-graph-rag'
/** The approaches that read no graph: five short recordings make an empty one. */
const WITHOUT_GRAPH = 'bm25,vanilla-rag,hybrid-rag,contextual-rag,lazy-graph-rag'
const JUDGES = 'builtin-lexical-support,builtin-semantic-match'
const EMBEDDINGS = 'all-minilm-l6-v2'

const run = (root: string, ...args: string[]): void => {
  const { status } = spawnSync(process.execPath, ['bin/rag-ladder.mjs', ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`rag-ladder ${args.join(' ')} ended with ${String(status)}: see above`)
}

/** Climbs and publishes in a checkout. Throws when the command fails; what it prints is shown. */
function ladder(root: string, runId: string, datasets: string, aliases: string, ...more: string[]): void {
  const judges = ['--judge', '--judge-models', JUDGES]
  run(root, 'ladder', '--publish', '--run-id', runId, '--dataset', datasets, '--models', aliases, ...judges, ...more)
}

/** Hands over a copy of this commit that has nothing published, and removes it afterwards. */
function inCopy(weights: string | null, use: (copy: string) => void): void {
  const copy = mkdtempSync(join(tmpdir(), 'rag-ladder-apart-'))
  try {
    execFileSync('git', ['clone', '--quiet', ROOT, copy])
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    rmSync(join(copy, 'docs/results'), { recursive: true })
    const datasets = join(copy, 'manifests/datasets')
    for (const name of readdirSync(datasets)) withoutPublished(join(datasets, name))
    // `models fetch` puts them there: rows name the models by their place in the project.
    if (weights !== null) cpSync(weights, join(copy, '.rag-ladder/models', EMBEDDINGS), { recursive: true })
    use(copy)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Runs the ladder in a copy, and takes its results over into a folder of their own. */
function publishApart(folder: string, runId: string, weights: string | null, ...more: string[]): void {
  inCopy(weights, (copy) => {
    ladder(copy, runId, RUNGS, EIGHT, ...more)
    rmSync(folder, { recursive: true, force: true })
    cpSync(join(copy, 'docs/results'), folder, { recursive: true })
  })
}

/** Asks forty questions of each rung in other words too, and returns the tables of what that changes. The rows are not kept, for their size. */
function inOtherWords(weights: string | null, ...more: string[]): string {
  let tables = ''
  inCopy(weights, (copy) => {
    const asked = ['--run-id', 'in-other-words', '--dataset', RUNGS, '--models', EIGHT, '--paraphrases', '--no-publish']
    run(copy, 'ladder', ...asked, ...more)
    run(copy, 'report', '--run-id', 'in-other-words', '--output', 'report.md')
    const report = readFileSync(join(copy, 'report.md'), 'utf8')
    tables = /\n## In other words\n\n[^]*?(\n### [^]*?)\n(?=## )/.exec(report)![1]!
  })
  return tables
}

/** Keeps the page and the figures of a folder of results: a clone is to stay small, and the rows can be made again. */
function keepFigures(folder: string): void {
  const page = join(folder, 'README.md')
  const again =
    'Beside this page: `-evaluation.json`, every figure of a rung. The rows of this run are not kept here, for their size; `npm run publish:results` makes them again.'
  const text = readFileSync(page, 'utf8')
    .replace(/^\[The ladder with charts\].*\n\n/m, '')
    .replace(/ Each report is complete in itself[^\n]*/, '')
    .replace(/^Beside each report: .*$/m, again)
    .replaceAll(/\[([^\]]+)\]\(\w+\.md\)/g, '$1')
  for (const name of readdirSync(folder))
    if (name !== 'README.md' && !name.endsWith('-evaluation.json')) rmSync(join(folder, name))
  writeFileSync(page, text)
}

function withoutPublished(file: string): void {
  const manifest = parseDocument(readFileSync(file, 'utf8'))
  if (!manifest.has('published')) return
  manifest.delete('published')
  writeFileSync(file, manifest.toString({ lineWidth: 0, singleQuote: true }))
}

const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' })
if (changed !== '') throw new Error(`commit these first, because rows name the commit that made them:\n${changed}`)
const weights = resolve(process.env['RAG_LADDER_EMBEDDING_DIR'] ?? join('.rag-ladder/models', EMBEDDINGS))
if (!existsSync(weights))
  throw new Error(
    `there is no ${weights}: run "rag-ladder models fetch ${EMBEDDINGS}", or set RAG_LADDER_EMBEDDING_DIR`,
  )
// The copies are made before anything is published here.
const head = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const wording = `# In other words

Forty questions of each rung were asked a second time in other words, with the same answers and gold facts (\`manifests/paraphrases\`), by commit ${head}
(\`npm run publish:results\`). A table states the mean difference by question with its 95 % interval, of each approach alone; one away from 0 shows that an
approach, or a rule in it, depends on the wording.

## Built-in rules
${inOtherWords(null)}
## Embeddings of a language model (${EMBEDDINGS})
${inOtherWords(weights, '--model-set', 'local-embeddings')}`
publishApart('docs/results/native', 'native-amounts', null, '--context-budget', 'none')
publishApart('docs/results/local-embeddings', 'local-embeddings', weights, '--model-set', 'local-embeddings')
keepFigures('docs/results/local-embeddings')
ladder(ROOT, 'embedded-baseline', RUNGS, EIGHT)
ladder(ROOT, 'spoken-notes', 'spoken_notes', WITHOUT_GRAPH)
await writePublishedTables(ROOT)
writeFileSync('docs/results/in-other-words.md', wording)
