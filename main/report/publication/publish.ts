import { hash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isMap, isSeq, parseDocument, type Document } from 'yaml'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { describeIssues } from '../../../core/issues.ts'
import {
  DatasetCatalogue,
  DatasetFile,
  DATASETS_FOLDER,
  type PublishedRun,
} from '../../../contract/manifests/datasets.ts'
import { artifactName, type ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { OsLock } from '../../lib/files/os-lock.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { outgoingKeys } from '../../lib/trust/outgoing-keys.ts'
import { loadProjectDatasets } from '../../manifests/datasets/load-datasets.ts'
import { parseYaml } from '../../manifests/load-manifest.ts'
import { openStateFolder } from '../../supervisor/state-folder.ts'
import { datasetReport } from '../markdown/dataset-report.ts'
import { ladderPage } from '../html/ladder-page.ts'
import { publicationChange, scopeOf } from './publication-change.ts'
import { packArtifact, RESULTS_FOLDER, unpackedName, unpackPublished, type PackedArtifact } from './published-folder.ts'
import { ReportError } from '../report-error.ts'
import { storedIn, type UnusableFile } from './results-folder.ts'
import { LADDER_PAGE, resultsIndex, type IndexEntry } from './results-index.ts'
import {
  validateArtifacts,
  type ArtifactExpectation,
  type ArtifactProblem,
  type ArtifactReport,
  type CheckedArtifact,
} from './validate-artifacts.ts'

interface Publication extends ArtifactExpectation {
  /** Project folder, which contains `docs/results/` and the manifests. */
  root: string
  /** Path of the dataset catalogue below the root; datasets with a file of their own are found beside it. */
  datasetsFile: string
  files: ArtifactFiles
  /** True where texts in the form of a key are examples of documents. */
  allowKeyExamples?: boolean
  /** Digests of what made the run, see `digestsToPublish`. */
  madeBy?: Record<string, string> | undefined
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
 * Step 12 of the ladder: validated artifacts, packed, into `docs/results/`, the dataset's report, `published` in the dataset's manifest, the index and the ladder's page. Each file is
 * replaced whole; the manifest names the artifacts only after they are written, so a crash in between leaves the former
 * publication valid and a second call repairs the rest. Paths in the answer are relative to the root. Throws `ReportError` when the
 * artifacts change meanwhile, the manifest cannot be written or another publisher does not end.
 */
export const publish = (publication: Publication): Promise<PublishOutcome> =>
  whilePublishing(publication.root, () => publishAlone(publication))

async function publishAlone(publication: Publication): Promise<PublishOutcome> {
  const { root, datasetsFile, datasetId } = publication
  // 1. Validate: the artifacts agree with the rows, hold no credential, and measure no less than what is published.
  const report = await validateArtifacts(publication.files, publication)
  if (report.checked === null) return { ok: false, problems: report.problems }
  const { runId, allowKeyExamples = false } = publication
  const keys = await outgoingKeys(allowKeyExamples ? null : `rag-ladder publish --run-id ${runId} --allow-key-examples`)
  const exposed: ArtifactProblem[] = []
  for (const { path } of report.artifacts) {
    const message = await keys.inFile(path)
    if (message !== null) exposed.push({ file: basename(path), code: 'credential', message })
  }
  if (exposed.length > 0) return { ok: false, problems: exposed }
  const { refusal } = await publicationChange(root, datasetsFile, datasetId, scopeOf(report.checked.aggregate))
  if (refusal !== null) throw new ReportError('narrower_publication', refusal)
  // 2. Make everything in memory: a manifest that cannot take the entry must not leave half a publication.
  const packed = await Promise.all(report.artifacts.map((artifact) => packedFile(artifact, publication)))
  const run = publishedRun(publication, packed, report.checked)
  const manifest = await manifestWith(publication, run)
  const text = datasetReport({
    dataset: manifest.dataset,
    ...report.checked,
    artifacts: packed.map(({ name, sha256, bytes }) => ({ name, sha256, sizeBytes: bytes.length })),
  })
  // 3. Write the artifacts and the report, and only then the manifest that names them.
  for (const { name, bytes } of packed) await writeAtomic(join(root, RESULTS_FOLDER, name), [bytes])
  await writeAtomic(join(root, RESULTS_FOLDER, `${datasetId}.md`), text)
  await writeAtomic(join(root, manifest.file), manifest.text)
  // 4. Remove what earlier versions published unpacked of the same run: the manifest has just ceased to name those files.
  for (const { name, ending } of packed)
    if (ending !== '') await rm(join(root, RESULTS_FOLDER, unpackedName(name)!), { force: true })
  // 5. Rewrite the index and the ladder's page, and unpack for the readers of rows.
  await publishIndex(root, datasetsFile)
  await unpackPublished(root)
  const beside = [`${datasetId}.md`, LADDER_PAGE, 'README.md'].map((name) => `${RESULTS_FOLDER}/${name}`)
  const written = [...run.artifacts.map(({ file }) => file), manifest.file, ...beside]
  return { ok: true, written, leftOver: await leftOverArtifacts(root, datasetsFile) }
}

/** The manifest that declares the dataset, with its `published` set to the run. */
async function manifestWith({ root, datasetsFile, datasetId }: Publication, run: PublishedRun) {
  const declared = (await loadProjectDatasets(root, datasetsFile)).find(({ dataset }) => dataset.id === datasetId)
  const file = declared?.file ?? datasetsFile
  const text = withPublished(await readFile(join(root, file), 'utf8'), file, datasetId, run)
  // `withPublished` has refused a catalogue without it.
  return { file, text, dataset: declared!.dataset }
}

async function leftOverArtifacts(root: string, datasetsFile: string): Promise<string[]> {
  const datasets = await loadProjectDatasets(root, datasetsFile)
  const named = new Set(
    datasets.flatMap(({ dataset: { published } }) => published?.artifacts.map(({ file }) => file) ?? []),
  )
  const files = (await readdir(join(root, RESULTS_FOLDER))).filter((name) => unpackedName(name) !== null)
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

interface PackedFile extends PackedArtifact {
  name: string
}

/** A checked artifact as it is published. Throws `ReportError` when it changed since it was checked. */
async function packedFile({ kind, path, sha256 }: CheckedArtifact, of: ArtifactExpectation): Promise<PackedFile> {
  const content = await readFile(path)
  if (hash('sha256', content) !== sha256)
    throw new ReportError('not_publishable', `${basename(path)} changed while it was published: publish again`, {
      file: path,
    })
  const packed = packArtifact(kind, content)
  return { ...packed, name: `${artifactName(kind, of.runId, of.datasetId)}${packed.ending}` }
}

function publishedRun(
  publication: Publication,
  artifacts: readonly PackedFile[],
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
    artifacts: artifacts.map(({ name, sha256 }) => ({ file: posix.join(RESULTS_FOLDER, name), sha256 })),
    ...(publication.madeBy === undefined ? {} : { made_by: publication.madeBy }),
  }
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
