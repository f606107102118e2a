import { z } from 'zod'
import { Identifier, SafeRelativePath, Sha256, versioned } from '../common.ts'
import {
  ChunkerSettings,
  EntityTypes,
  GraphTarget,
  ParserName,
  VectorTarget,
  type IngestionProfile,
} from './consumer.ts'
import { Questions, type Question } from './queries.ts'

/** One file per dataset: `manifests/datasets/<id>.yaml`, beside the older catalogue `manifests/datasets.yaml`. */
export const DATASETS_FOLDER = 'manifests/datasets'

/** What the last publication of a dataset left in `docs/results/`; written by `publish`, no part of the configuration hash. */
export const PublishedRun = z.strictObject({
  run_id: Identifier,
  ingestion: z
    .strictObject({ job_id: z.string(), profile: Identifier, revision: z.string(), content_digest: z.string() })
    .nullable(),
  artifacts: z.array(z.strictObject({ file: SafeRelativePath, sha256: Sha256 })),
})
export type PublishedRun = z.infer<typeof PublishedRun>

export const Dataset = z.strictObject({
  id: Identifier,
  label: z.string().min(1),
  description: z.string(),
  /** The rung: 1 is flat text; higher is more relational. */
  complexity_level: z.int().min(0).max(99),
  corpus_path: SafeRelativePath,
  queries_file: SafeRelativePath,
  ingestion_profile: Identifier,
  published: PublishedRun.optional(),
})
export type Dataset = z.infer<typeof Dataset>

/** How a dataset's documents are ingested; what is not given is what the other datasets of the ladder use. */
const OwnProfile = z.strictObject({
  parser_order: z.array(ParserName).min(1).default(['converter', 'speech', 'plain_text']),
  chunker: ChunkerSettings.default({ strategy: 'recursive', chunk_size: 800, overlap: 100 }),
  vector_target: VectorTarget.default({ collection_prefix: 'RagBase', on_unavailable: 'fail' }),
  graph_target: GraphTarget.default({
    mode: 'upload_documents',
    wait_for_extraction: true,
    timeout_seconds: 3600,
    on_unavailable: 'fail',
  }),
  /** What the graph engine looks for in these documents; its own list unless given. */
  entity_types: EntityTypes.optional(),
})

/** `manifests/datasets/<id>.yaml`: everything about one dataset except its documents. The file's name is the dataset's id. */
export const DatasetFile = versioned({
  label: z.string().min(1),
  description: z.string().default(''),
  /** Terms under which the documents may be used and passed on; for people. */
  licence: z.string().min(1).optional(),
  /** The rung: 1 is flat text, higher is more relational; 0 runs only when it is named. */
  complexity_level: z.int().min(0).max(99).default(0),
  /** Folder of the documents; `corpus/<id>` unless given. */
  documents: SafeRelativePath.refine(
    (path) => path.startsWith('corpus/'),
    'expected a folder below corpus/',
  ).optional(),
  profile: OwnProfile.prefault({}),
  questions: Questions,
  published: PublishedRun.optional(),
})
export type DatasetFile = z.infer<typeof DatasetFile>

/** A dataset file in the form of the older layout: entry of the catalogue, ingestion profile and questions. */
export function datasetOf(
  id: string,
  { label, description, complexity_level, documents, profile, questions, published }: DatasetFile,
): { dataset: Dataset; profile: IngestionProfile; questions: Question[] } {
  const corpusPath = documents ?? `corpus/${id}`
  return {
    dataset: {
      id,
      label,
      description,
      complexity_level,
      corpus_path: corpusPath,
      queries_file: `${DATASETS_FOLDER}/${id}.yaml`,
      ingestion_profile: id,
      ...(published === undefined ? {} : { published }),
    },
    profile: { name: id, corpus: { source: 'mount', path: corpusPath.slice('corpus/'.length) }, ...profile },
    questions,
  }
}

/** `manifests/datasets.yaml`: the ladder in the older layout, with questions and ingestion profiles in files of their own. */
export const DatasetCatalogue = versioned({
  datasets: z
    .array(Dataset)
    .min(1)
    .refine((items) => new Set(items.map((item) => item.id)).size === items.length, 'dataset ids must be unique'),
})
export type DatasetCatalogue = z.infer<typeof DatasetCatalogue>
