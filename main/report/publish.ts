import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { isMap, isSeq, parseDocument, type Document } from 'yaml'
import {
  canonicalJson,
  DatasetCatalogue,
  DatasetFile,
  DATASETS_FOLDER,
  describeIssues,
  type Aggregate,
  type PublishedRun,
} from '../../contract/index.ts'
import { artifactName, isArtifactName, type ArtifactFiles } from '../evidence/artifact-files.ts'
import { holdsSecret } from '../lib/known-secrets.ts'
import { OsLock } from '../lib/os-lock.ts'
import { writeAtomic } from '../lib/write-atomic.ts'
import { loadProjectDatasets } from '../manifests/load-datasets.ts'
import { parseYaml } from '../manifests/load-manifest.ts'
import { openStateFolder } from '../supervisor/state-folder.ts'
import { datasetReport } from './dataset-report.ts'
import { ladderPage } from './html/ladder-page.ts'
import { publicationChange, scopeOf } from './publication-change.ts'
import { ReportError } from './report-error.ts'
import { storedIn, type UnusableFile } from './results-folder.ts'
import { LADDER_PAGE, resultsIndex, type IndexEntry } from './results-index.ts'
import {
  validateArtifacts,
  type ArtifactExpectation,
  type ArtifactProblem,
  type ArtifactReport,
  type CheckedArtifact,
} from './validate-artifacts.ts'

export const RESULTS_FOLDER = 'docs/results'

interface Publication extends ArtifactExpectation {
  /** Project folder, which contains `docs/results/` and the manifests. */
  root: string
  /** Path of the dataset catalogue below the root; datasets with a file of their own are found beside it. */
  datasetsFile: string
  files: ArtifactFiles
}

type PublishOutcome =
  | {
      ok: true
      written: string[]
      /** Artifacts below `docs/results/` that no published run names any more. They stay: whether they are needed is for a person to decide. */
      leftOver: string[]
    }
  /** Nothing was written. */
  | { ok: false; problems: ArtifactProblem[] }

/**
 * Step 12 of the ladder: validated artifacts into `docs/results/`, the dataset's report, `published` in the dataset's manifest, the index and the ladder's page. Each file is
 * replaced whole; the manifest names the artifacts only after they are written, so a crash in between leaves the former
 * publication valid and a second call repairs the rest. Paths in the answer are relative to the root. Throws `ReportError` when the
 * artifacts change meanwhile, the manifest cannot be written or another publisher does not end.
 */
export const publish = (publication: Publication): Promise<PublishOutcome> =>
  whilePublishing(publication.root, () => publishAlone(publication))

async function publishAlone(publication: Publication): Promise<PublishOutcome> {
  const report = await validateArtifacts(publication.files, publication)
  if (report.checked === null) return { ok: false, problems: report.problems }
  const exposed = (await Promise.all(report.artifacts.map(credentialProblem))).filter((problem) => problem !== null)
  if (exposed.length > 0) return { ok: false, problems: exposed }
  const { root, datasetsFile, datasetId } = publication
  const { refusal } = await publicationChange(root, datasetsFile, datasetId, scopeOf(report.checked.aggregate))
  if (refusal !== null) throw new ReportError('narrower_publication', refusal)
  const declared = (await loadProjectDatasets(root, datasetsFile)).find(({ dataset }) => dataset.id === datasetId)
  const manifestFile = declared?.file ?? datasetsFile
  const manifestText = await readFile(join(root, manifestFile), 'utf8')
  const run = publishedRun(publication, report.artifacts, report.checked)
  // Before anything is written: a manifest that cannot take the entry must not leave half a publication.
  const manifest = withPublished(manifestText, manifestFile, datasetId, run)
  // `withPublished` has refused a catalogue without it.
  const { dataset } = declared!
  for (const artifact of report.artifacts) await copyChecked(artifact, publication)
  const text = datasetReport({
    dataset,
    ...report.checked,
    artifacts: report.artifacts.map((artifact) => ({ ...artifact, name: nameOf(artifact, publication) })),
  })
  await writeAtomic(join(root, RESULTS_FOLDER, `${datasetId}.md`), text)
  await writeAtomic(join(root, manifestFile), manifest)
  await publishIndex(root, datasetsFile)
  const beside = [`${datasetId}.md`, LADDER_PAGE, 'README.md'].map((name) => `${RESULTS_FOLDER}/${name}`)
  const written = [...run.artifacts.map(({ file }) => file), manifestFile, ...beside]
  return { ok: true, written, leftOver: await leftOverArtifacts(root, datasetsFile) }
}

/** Published artifacts are committed and shared: one that holds a credential of this process is refused. The credential is not quoted. */
async function credentialProblem({ path }: CheckedArtifact): Promise<ArtifactProblem | null> {
  let line = 0
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    line += 1
    if (!holdsSecret(text)) continue
    const message = `line ${line} holds a credential that is in use now: revoke it at its service, then make the run again or remove the credential from the file`
    return { file: basename(path), code: 'credential', message }
  }
  return null
}

async function leftOverArtifacts(root: string, datasetsFile: string): Promise<string[]> {
  const datasets = await loadProjectDatasets(root, datasetsFile)
  const named = new Set(
    datasets.flatMap(({ dataset: { published } }) => published?.artifacts.map(({ file }) => file) ?? []),
  )
  const files = (await readdir(join(root, RESULTS_FOLDER))).filter(isArtifactName)
  return files
    .map((name) => posix.join(RESULTS_FOLDER, name))
    .filter((file) => !named.has(file))
    .toSorted()
}

/** The notice about artifacts that remain from earlier runs; null when there are none. */
export function leftOverNotice(leftOver: readonly string[]): string | null {
  if (leftOver.length === 0) return null
  const [first, ...others] = leftOver
  const rest = others.length === 0 ? '' : ` and ${others.length} more`
  return `${RESULTS_FOLDER} still holds artifacts of earlier runs that no dataset names as published: ${first}${rest}; keep or remove them`
}

/** Rewrites the index of the results folder and the ladder's page from the catalogue and the published aggregates. Datasets of a person are not named. */
async function publishIndex(root: string, datasetsFile: string): Promise<void> {
  const datasets = await loadProjectDatasets(root, datasetsFile)
  const entries = await Promise.all(
    datasets.map(async ({ dataset }): Promise<IndexEntry> => {
      const file = dataset.published?.artifacts.find(({ file }) => file.endsWith('-evaluation.json'))?.file
      if (file === undefined) return { dataset, aggregate: null, unusable: [] }
      const unusable: UnusableFile[] = []
      const aggregate = await storedIn(join(root, file), unusable)
      return { dataset, aggregate, unusable }
    }),
  )
  const published = entries.filter((entry): entry is IndexEntry & { aggregate: Aggregate } => entry.aggregate !== null)
  const page = await ladderPage({
    aggregates: published.map(({ aggregate }) => aggregate),
    unusable: entries.flatMap(({ unusable = [] }) => unusable),
    artifacts: published.flatMap(({ dataset }) =>
      dataset.published!.artifacts.map(({ file, sha256 }) => ({
        datasetId: dataset.id,
        href: posix.relative(RESULTS_FOLDER, file),
        sha256,
      })),
    ),
  })
  await writeAtomic(join(root, RESULTS_FOLDER, LADDER_PAGE), page)
  await writeAtomic(join(root, RESULTS_FOLDER, 'README.md'), resultsIndex(entries))
}

const nameOf = ({ kind }: CheckedArtifact, { runId, datasetId }: ArtifactExpectation): string =>
  artifactName(kind, runId, datasetId)

function publishedRun(
  publication: Publication,
  artifacts: readonly CheckedArtifact[],
  { aggregate: { ingestion } }: NonNullable<ArtifactReport['checked']>,
): PublishedRun {
  return {
    run_id: publication.runId,
    ingestion:
      ingestion === null
        ? null
        : {
            job_id: ingestion.job_id,
            profile: ingestion.profile,
            revision: ingestion.revision,
            content_digest: ingestion.content_digest,
          },
    artifacts: artifacts.map((artifact) => ({
      file: posix.join(RESULTS_FOLDER, nameOf(artifact, publication)),
      sha256: artifact.sha256,
    })),
  }
}

async function copyChecked(artifact: CheckedArtifact, publication: Publication): Promise<void> {
  const target = join(publication.root, RESULTS_FOLDER, nameOf(artifact, publication))
  await writeAtomic(target, createReadStream(artifact.path) as AsyncIterable<Buffer>, ({ sha256 }) => {
    if (sha256 !== artifact.sha256)
      throw new ReportError(
        'not_publishable',
        `${basename(artifact.path)} changed while it was published: publish again`,
        {
          file: artifact.path,
        },
      )
  })
}

const LOCK_WAIT_MS = 30_000
const LOCK_POLL_MS = 20

/**
 * Runs `work` as the only publisher of a project: catalogue, index and page are read, changed and written back. The system releases the lock
 * when its process ends. Throws `ReportError` `publish_busy` when another publisher takes longer than the wait.
 */
export async function whilePublishing<Result>(
  root: string,
  work: () => Promise<Result>,
  waitMs = LOCK_WAIT_MS,
): Promise<Result> {
  const folder = join(root, '.rag-ladder')
  await openStateFolder(folder)
  const file = join(folder, 'publish.lock')
  const lock = new OsLock(file)
  try {
    const deadline = performance.now() + waitMs
    while (!lock.tryLock()) {
      if (performance.now() > deadline)
        throw new ReportError(
          'publish_busy',
          `another process is publishing (${file} is locked): publish again later`,
          {
            file,
          },
        )
      await delay(LOCK_POLL_MS)
    }
    try {
      return await work()
    } finally {
      lock.unlock()
    }
  } finally {
    lock.close()
  }
}

/**
 * The text of the manifest that declares a dataset with its `published` set; comments, order and the layout of everything else stay. Throws
 * `ReportError` when the dataset is missing or the result would not be a valid manifest that differs in nothing else.
 */
export function withPublished(text: string, file: string, datasetId: string, published: PublishedRun): string {
  const fail = (what: string): ReportError => new ReportError('catalogue', `${file}: ${what}`, { file })
  const document = parseDocument(text, { uniqueKeys: true, strict: true })
  if (document.errors.length > 0) throw fail(document.errors[0]!.message.split('\n')[0]!)
  const isOwnFile = file.startsWith(`${DATASETS_FOLDER}/`)
  const node = isOwnFile ? document.contents : entryOf(document, datasetId)
  if (!isMap(node)) throw fail(isOwnFile ? 'expected a map' : `the dataset ${datasetId} is not in the catalogue`)
  node.set('published', document.createNode(published))
  const updated = document.toString({ lineWidth: 0, singleQuote: true })

  const schema = isOwnFile ? DatasetFile : DatasetCatalogue
  const before = schema.safeParse(parseYaml(file, text))
  const after = schema.safeParse(parseYaml(file, updated))
  if (!before.success) throw fail(describeIssues(before.error).join('; '))
  if (!after.success) throw fail(describeIssues(after.error).join('; '))
  if (canonicalJson(after.data) !== canonicalJson(publishedIn(before.data, datasetId, published)))
    throw fail('setting `published` would change other parts of the file')
  return updated
}

const entryOf = (document: Document, datasetId: string): unknown => {
  const datasets = document.get('datasets')
  return isSeq(datasets) ? datasets.items.find((item) => isMap(item) && item.get('id') === datasetId) : undefined
}

function publishedIn(
  manifest: DatasetFile | DatasetCatalogue,
  datasetId: string,
  published: PublishedRun,
): DatasetFile | DatasetCatalogue {
  if (!('datasets' in manifest)) return { ...manifest, published }
  const datasets = manifest.datasets.map((dataset) => (dataset.id === datasetId ? { ...dataset, published } : dataset))
  return { ...manifest, datasets }
}
