// A run as one zip file that another installation opens: its artifacts as they are, the manifests of its project, and `bundle.json` with the
// checksum of each. Nothing is unpacked over a file that is there; keys and the person's own connections are never part of it.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { Identifier, Sha256 } from '../../contract/common.ts'
import { OWN_DATASET_FILE, OWN_DATASETS_FOLDER } from '../../contract/manifests/datasets.ts'
import { jsonIn } from '../../core/json.ts'
import {
  ARTIFACT_KINDS,
  artifactFiles,
  ownerOf,
  storedFilesOf,
  type ArtifactPlace,
} from '../evidence/files/artifact-files.ts'
import { allTraceTexts, traceTextsPathFor, verifyTraceTexts } from '../evidence/traces/trace-texts.ts'
import { identityPathFor } from '../evidence/rows/identity-record.ts'
import { humanFiles } from '../judge/human/human-files.ts'
import { filesBelow } from '../lib/files/files-below.ts'
import { portablePathProblem } from '../lib/files/portable-path.ts'
import { outgoingKeys } from '../lib/trust/outgoing-keys.ts'
import { refuseChanged, unpackZip, writeZip, ZipFileError, type ZipEntry } from '../lib/files/zip-files.ts'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import { readEvidenceRows } from './read-evidence.ts'

const CONTENTS = 'bundle.json'
const ARTIFACTS = 'artifacts/'
const MANIFESTS = 'manifests/'

const Contents = z.strictObject({
  schema_version: z.literal(1),
  run_id: Identifier,
  datasets: z.array(Identifier).min(1),
  files: z.array(z.strictObject({ name: z.string(), sha256: Sha256, size_bytes: z.int().min(0) })),
})
type Contents = z.infer<typeof Contents>

/** Everything that a dataset run may have beside its evidence, by its name in the folder of results. */
function filesOf(place: ArtifactPlace, runId: string, datasetId: string): Map<string, string> {
  const stored = storedFilesOf(place, runId, datasetId)
  const named = artifactFiles(place.resultsDir, runId, datasetId)
  const human = humanFiles(dirname(stored.judgments), runId, datasetId)
  const inFolder = humanFiles(place.resultsDir, runId, datasetId)
  const pairs: [name: string, file: string][] = [
    ...ARTIFACT_KINDS.map((kind): [string, string] => [named[kind], stored[kind]]),
    [identityPathFor(named.evidence), identityPathFor(stored.evidence)],
    [traceTextsPathFor(named.evidence), traceTextsPathFor(stored.evidence)],
    ...(Object.keys(inFolder) as (keyof typeof inFolder)[]).map((key): [string, string] => [inFolder[key], human[key]]),
  ]
  return new Map(pairs.map(([name, file]) => [basename(name), file]))
}

/** Datasets that a run has evidence of: those of its bundle. */
export async function bundledDatasets({ resultsDir, named }: ArtifactPlace, runId: string): Promise<string[]> {
  const names = await readdir(resultsDir).catch((): string[] => [])
  const files = names.filter((name) => name.startsWith(`${runId}-`) && name.endsWith('-evidence.jsonl'))
  const all = [
    ...files.map((name) => join(resultsDir, name)),
    ...(named.evidence === undefined ? [] : [named.evidence]),
  ]
  const owners = all.flatMap((file) => ownerOf('evidence', file) ?? [])
  return [...new Set(owners.filter((owner) => owner.runId === runId).map(({ datasetId }) => datasetId))].sort()
}

/** Manifests of the project, and the file of each own dataset that the run asked. */
async function manifestEntries(root: string, datasetIds: readonly string[]): Promise<{ name: string; file: string }[]> {
  const all = await filesBelow(join(root, 'manifests')).catch((): string[] => [])
  // A file that another system cannot store is left out: a bundle is for other systems.
  const files = all.filter((name) => /\.(?:ya?ml|json|jsonl)$/.test(name) && portablePathProblem(name) === null)
  const own = datasetIds
    .map((id) => [id, join(root, OWN_DATASETS_FOLDER, id, OWN_DATASET_FILE)] as const)
    .filter(([, file]) => existsSync(file))
  return [
    ...files.map((name) => ({ name: `${MANIFESTS}${name}`, file: join(root, 'manifests', name) })),
    ...own.map(([id, file]) => ({ name: `${MANIFESTS}${OWN_DATASETS_FOLDER}/${id}/${OWN_DATASET_FILE}`, file })),
  ]
}

interface BundledRun {
  runId: string
  datasets: string[]
  files: number
}

/**
 * Writes a run to a zip file that is not there yet. Throws `ZipFileError`, also where the run has no evidence, or where its files or its manifests hold a
 * key: a bundle is for others. `allowKeyExamples` lets texts in the form of a key pass, because they are examples of documents.
 */
export async function exportBundle(
  place: ArtifactPlace & { root: string },
  runId: string,
  target: string,
  { allowKeyExamples = false }: { allowKeyExamples?: boolean } = {},
): Promise<BundledRun> {
  const datasets = await bundledDatasets(place, runId)
  if (datasets.length === 0) throw new ZipFileError('file', `${place.resultsDir} has no evidence of a run ${runId}`)
  const artifacts = datasets.flatMap((id) => [...filesOf(place, runId, id)].filter(([, file]) => existsSync(file)))
  const entries = [
    ...artifacts.map(([name, file]) => ({ name: `${ARTIFACTS}${name}`, file })),
    ...(await manifestEntries(place.root, datasets)),
  ]
  const keys = await outgoingKeys(allowKeyExamples ? null : `rag-ladder bundle export ${runId} --allow-key-examples`)
  for (const { name, file } of entries) {
    const inTexts = name.endsWith('.traces.jsonl') ? await keys.inTexts(allTraceTexts(file)) : null
    const problem = inTexts ?? (await keys.inFile(file))
    if (problem !== null)
      throw new ZipFileError('file', `Cannot export the run ${runId}: ${basename(name)}: ${problem}`)
  }
  // Last, because checksums are of what was written: evidence of a run under way grows.
  const contents = (files: Contents['files']): Contents => ({ schema_version: 1, run_id: runId, datasets, files })
  const last: ZipEntry = { name: CONTENTS, text: (files) => `${JSON.stringify(contents([...files]), null, 2)}\n` }
  await writeZip(target, [...entries, last])
  return { runId, datasets, files: entries.length }
}

function entryProblem(name: string): string | null {
  if (name === CONTENTS) return null
  const [, inside = ''] = /^(?:artifacts|manifests)\/(.*)$/s.exec(name) ?? []
  if (inside === '') return `it is neither ${CONTENTS} nor below ${ARTIFACTS} or ${MANIFESTS}`
  return portablePathProblem(inside)
}

/**
 * Opens the bundle of a run: its artifacts in the folder of results, its manifests below `.rag-ladder/bundles/<run_id>` for reading. Every
 * checksum and every row is checked before anything appears there. Throws `ZipFileError` and `ReportError`; nothing is left then.
 */
export async function importBundle(place: { root: string; resultsDir: string }, file: string): Promise<BundledRun> {
  const { root, resultsDir } = place
  await mkdir(resultsDir, { recursive: true })
  const folder = await mkdtemp(join(resultsDir, '.import-bundle-'))
  try {
    const unpacked = await unpackZip(file, folder, entryProblem)
    await refuseChanged(folder, CONTENTS, unpacked, file)
    const contents = await contentsIn(folder, file)
    const { run_id: runId, datasets } = contents
    const known = new Set(datasets.flatMap((id) => [...filesOf({ resultsDir, named: {} }, runId, id).keys()]))
    const moves = contents.files.flatMap(({ name }): [from: string, to: string][] => {
      if (!name.startsWith(ARTIFACTS)) return []
      const artifact = name.slice(ARTIFACTS.length)
      if (!known.has(artifact))
        throw new ZipFileError('file', `${artifact} in ${file} is not a file of the run ${runId}`)
      return [[join(folder, name), join(resultsDir, artifact)]]
    })
    for (const id of datasets)
      await checkEvidence(artifactFiles(join(folder, ARTIFACTS), runId, id).evidence, runId, id)
    const manifests = join(root, STATE_FOLDER, 'bundles', runId)
    for (const [, path] of moves)
      if (existsSync(path))
        throw new ZipFileError(
          'file',
          `Cannot open the run ${runId}: ${path} exists already. Remove or rename that run first.`,
        )
    await mkdir(dirname(manifests), { recursive: true })
    // A copy to read: one of an import before, whose run was removed, is replaced.
    await rm(manifests, { recursive: true, force: true })
    // The folder also marks the run as one of another installation: its times say nothing about this machine.
    if (existsSync(join(folder, MANIFESTS))) await rename(join(folder, MANIFESTS), manifests)
    else await mkdir(manifests)
    // Evidence last: a run appears with everything that it has.
    for (const [from, to] of moves.toSorted(([a], [b]) => Number(isEvidence(a)) - Number(isEvidence(b))))
      await rename(from, to)
    return { runId, datasets, files: contents.files.length }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function contentsIn(folder: string, file: string): Promise<Contents> {
  const text = await readFile(join(folder, CONTENTS), 'utf8').catch(() => {
    throw new ZipFileError('file', `${file} has no ${CONTENTS}: it is not an exported run`)
  })
  const parsed = Contents.safeParse(jsonIn(text))
  if (!parsed.success) throw new ZipFileError('file', `${CONTENTS} in ${file} is not of this version`)
  return parsed.data
}

const isEvidence = (file: string): boolean => file.endsWith('-evidence.jsonl')

async function checkEvidence(evidence: string, runId: string, datasetId: string): Promise<void> {
  for await (const row of readEvidenceRows(evidence))
    if (row.run_id !== runId || row.dataset.id !== datasetId)
      throw new ZipFileError('file', `${basename(evidence)} holds a row of ${row.run_id}, ${row.dataset.id}`)
  const changed = (await verifyTraceTexts(evidence))?.changed.length ?? 0
  if (changed > 0)
    throw new ZipFileError(
      'file',
      `${basename(traceTextsPathFor(evidence))} holds texts that do not match their digests`,
    )
}
