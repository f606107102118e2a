import { closeSync, cpSync, existsSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import Database from 'better-sqlite3'
import { parse, stringify } from 'yaml'
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { runJudgePanel } from '../../main/judge/run-panel.ts'
import type { Alias } from '../../contract/manifests/aliases.ts'
import { DATASETS_FOLDER } from '../../contract/manifests/datasets.ts'
import { loadExperiment, type Experiment, type LadderDataset } from '../../main/manifests/experiment.ts'
import { readJudgments, type JudgeInput } from '../../main/report/aggregate/judge-input.ts'
import { readEvidenceRows } from '../../main/report/read-evidence.ts'
import { summaryContextOfRun } from '../../main/report/aggregate/run-summary.ts'
import { storedAnswers } from '../../main/report/stored-answers.ts'
import { writeArtifacts } from '../../main/report/publication/write-artifacts.ts'
import { stateOfOpen } from '../../main/run-index/folders/folder-scan.ts'
import { startFaultServer } from './fault-server.ts'
import { gradeByText, gradingBy, samplePanel } from './judge-panel.ts'
import { PROJECT_ROOT } from './project-root.ts'
import { evidenceBytes } from './report-project.ts'
import { SEEDED_TRACE, storeSeededTexts } from './seeded-trace.ts'
import { readDocuments, seededRow } from './seeded-rows.ts'

// A project folder with finished runs for the page specs. The rows are drawn; everything around them (checksums, aggregates, matrices,
// judgments) is made by the product's own writers, so that a spec never reads a format that the product does not write.

/** Newest first. */
export const SEEDED_RUNS = ['ladder-2026-11-20', 'ladder-2026-11-18-r2'] as const
/** The runs' datasets; the newest run is judged on the second one. */
const DATASETS = ['smoke', 'graph_native']
const ALIASES = [
  'vanilla-rag',
  'hybrid-rag',
  'contextual-rag',
  'graph-rag',
  'agentic-rag',
  'workflow-adaptive-rag',
  'lazy-graph-rag',
]
const JUDGES = ['builtin-lexical-support', 'qwen3:8b', 'a-judge-with-a-rather-long-name-of-a-provider/llama3.3:70b']

/** Specs are written for this many questions of a dataset, whatever the project's rungs ask by now. */
const MOST_QUESTIONS = 24

/** Lists what a project has before its first run. */
const FOLDERS = ['manifests', 'corpus']
const COPY = { recursive: true, preserveTimestamps: true }

/** A project folder with manifests and corpora and no run. */
export async function emptyProject(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-pages-'))
  for (const folder of FOLDERS) cpSync(join(PROJECT_ROOT, folder), join(root, folder), COPY)
  const datasets = join(root, DATASETS_FOLDER)
  for (const name of await readdir(datasets)) {
    const file = join(datasets, name)
    const manifest = parse(await readFile(file, 'utf8')) as { questions: unknown[] }
    if (manifest.questions.length > MOST_QUESTIONS)
      await writeFile(file, stringify({ ...manifest, questions: manifest.questions.slice(0, MOST_QUESTIONS) }))
  }
  return root
}

/** A copy of a seeded project that a spec may change: all of it, or without its runs, as `emptyProject` makes it. */
export async function copyProject(seeded: string, { empty = false } = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'rag-ladder-pages-'))
  // Of hundreds of small files, a copy that waits for each takes twice the processor time.
  for (const folder of empty ? FOLDERS : ['.']) cpSync(join(seeded, folder), join(root, folder), COPY)
  moveIndex(seeded, root)
  return root
}

/** An index knows its files by path, inode and time: with those of the copies, the engine does not read every run again. */
function moveIndex(seeded: string, root: string): void {
  const file = join(root, '.rag-ladder/run-index.sqlite')
  if (!existsSync(file)) return
  const index = new Database(file)
  const moved = (path: string): string => join(root, relative(seeded, path))
  const change = index.prepare('UPDATE artifacts SET path = ?, prefix = ?, identity = ?, modified_ms = ? WHERE id = ?')
  const artifacts = index.prepare<[], { id: number; path: string; prefix: string }>('SELECT * FROM artifacts').all()
  for (const { id, path, prefix } of artifacts) {
    const opened = openSync(moved(path), 'r')
    const { identity, modifiedMs } = stateOfOpen(opened)
    closeSync(opened)
    change.run(moved(path), moved(prefix), identity, modifiedMs, id)
  }
  index.close()
}

export const removeProject = (root: string): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5 })

/** `emptyProject` with two finished runs on two datasets, one of them judged. */
export async function seededProject(): Promise<string> {
  const root = await emptyProject()
  const experiment = await loadExperiment(root)
  const runs = SEEDED_RUNS.map((runId, index) => ({ runId, finishedAt: `2026-11-${20 - 2 * index}T09:14:02.000Z` }))
  for (const { runId, finishedAt } of runs)
    for (const datasetId of DATASETS) await seedRun(root, experiment, { runId, datasetId, finishedAt })
  await judgeRun(root, experiment, SEEDED_RUNS[0], 'graph_native')
  return root
}

interface Seed {
  runId: string
  datasetId: string
  finishedAt: string
  hostile?: boolean
}

const entryOf = (experiment: Experiment, datasetId: string): LadderDataset =>
  experiment.datasets.find(({ dataset }) => dataset.id === datasetId)!
const aliasesOf = (experiment: Experiment): Alias[] => ALIASES.map((name) => experiment.aliases.get(name)!)

/** Stores a run on one dataset, or replaces it. */
export async function seedRun(root: string, experiment: Experiment, seed: Seed): Promise<void> {
  const { runId, datasetId, finishedAt, hostile = false } = seed
  const entry = entryOf(experiment, datasetId)
  const documents = readDocuments(root, entry.dataset.corpus_path)
  const rows = entry.questions.flatMap((_, position) =>
    aliasesOf(experiment).map((alias) => ({
      ...seededRow({ runId, entry, documents, position, alias, hostile }),
      // Other rows are as earlier versions wrote them, or of a gateway that sends no trace.
      ...(alias.base === 'agentic-rag' ? { trace: SEEDED_TRACE } : {}),
      ...(alias.base === 'graph-rag'
        ? { trace: { level: 'full' as const, steps: SEEDED_TRACE.steps.slice(0, 1) } }
        : {}),
      finished_at: finishedAt,
    })),
  )
  const { evidence } = artifactFiles(join(root, 'results'), runId, datasetId)
  await mkdir(join(root, 'results'), { recursive: true })
  await writeFile(evidence, evidenceBytes(rows))
  await storeSeededTexts(evidence)
  await sumUp(root, experiment, runId, datasetId, { state: 'disabled' })
}

async function sumUp(root: string, experiment: Experiment, runId: string, datasetId: string, judge: JudgeInput) {
  const files = artifactFiles(join(root, 'results'), runId, datasetId)
  const context = summaryContextOfRun({
    runId,
    dataset: entryOf(experiment, datasetId),
    aliases: aliasesOf(experiment),
    unavailable: [],
    metrics: ['faithfulness', 'answer_relevancy', 'context_precision', 'context_recall'],
    repeats: 1,
    judge,
  })
  await writeArtifacts(files, readEvidenceRows(files.evidence), context)
}

/** Three judges on the stored answers: one built in, and two that grade a text alike, of which one also favours what it reads first. */
async function judgeRun(root: string, experiment: Experiment, runId: string, datasetId: string): Promise<void> {
  const files = artifactFiles(join(root, 'results'), runId, datasetId)
  const endpoint = await startFaultServer()
  try {
    endpoint.script(
      gradingBy((answer, place, { model }) => {
        const grade = gradeByText(answer)
        return model.startsWith('qwen') ? Math.min(5, Math.max(1, grade + 1 - Math.floor(place / 2))) : grade
      }),
    )
    await runJudgePanel(
      await storedAnswers(files, {
        runId,
        datasetId,
        models: ALIASES,
        questionIds: entryOf(experiment, datasetId).questions.map(({ id }) => id),
      }),
      {
        panel: samplePanel({ endpoint: endpoint.url, models: JUDGES, rotations: 2, reference: true }),
        gateway: null,
        aliases: [...experiment.aliases.keys()],
        seed: experiment.evaluation.run.seed,
        file: files.judgments,
      },
    )
  } finally {
    await endpoint.close()
  }
  await sumUp(root, experiment, runId, datasetId, await readJudgments(files.judgments))
}
