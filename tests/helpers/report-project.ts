import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { Judgments } from '../../contract/evidence/judgments.ts'
import { artifactFiles, type ArtifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { readJudgments } from '../../main/report/aggregate/judge-input.ts'
import type { RunSummaryContext } from '../../main/report/aggregate/run-summary.ts'
import { writeArtifacts } from '../../main/report/publication/write-artifacts.ts'
import { sealRow } from '../../main/evidence/rows/row-line.ts'
import { goldenContext, goldenRows, REPORT_RUN, streamOf, type FixtureDataset } from './report-rows.ts'

/** The bytes that the evidence log keeps of rows. Throws when one is not valid. */
export function evidenceBytes(rows: readonly CanonicalRow[]): Buffer {
  const lines = rows.map((row) => {
    const sealed = sealRow(row)
    if (!sealed.ok) throw new Error(sealed.problem)
    return sealed.line
  })
  return Buffer.concat(lines)
}

/** Writes all artifacts of a golden run into `dir`, as the runner does. */
export async function writeRun(
  dir: string,
  dataset: FixtureDataset,
  judgments: Judgments | null = null,
): Promise<{ files: ArtifactFiles; context: RunSummaryContext }> {
  const files = artifactFiles(dir, REPORT_RUN, dataset.id)
  await mkdir(dir, { recursive: true })
  await writeFile(files.evidence, evidenceBytes(goldenRows(dataset)))
  if (judgments !== null) await writeFile(files.judgments, JSON.stringify(judgments))
  const judge = judgments === null ? ({ state: 'disabled' } as const) : await readJudgments(files.judgments)
  const context = { ...goldenContext(dataset), judge }
  await writeArtifacts(files, streamOf(goldenRows(dataset)), context)
  return { files, context }
}

/** A project folder with nothing but a dataset catalogue. */
export async function projectWith(
  datasets: readonly FixtureDataset[],
): Promise<{ root: string; datasetsFile: string }> {
  const root = await mkdtemp(join(tmpdir(), 'report-project-'))
  const datasetsFile = 'manifests/datasets.yaml'
  await mkdir(dirname(join(root, datasetsFile)))
  await writeFile(join(root, datasetsFile), catalogueText(datasets))
  return { root, datasetsFile }
}

export const catalogueText = (datasets: readonly FixtureDataset[]): string =>
  [
    '# The ladder.',
    'version: 1',
    'datasets:',
    ...datasets.flatMap(({ id, label, rung }) => [
      `  - id: ${id} # named in every artifact`,
      `    label: ${label}`,
      "    description: 'Invented, for tests; a description that is long enough to be folded by a writer that folds lines.'",
      `    complexity_level: ${rung}`,
      `    corpus_path: corpus/${id}`,
      `    queries_file: manifests/queries/${id}.yaml`,
      `    ingestion_profile: ${id}`,
      '',
    ]),
  ].join('\n')
