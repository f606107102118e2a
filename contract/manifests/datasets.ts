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
import { QuestionList, Questions, type Question } from './queries.ts'

/** One file per dataset: `manifests/datasets/<id>.yaml`, beside the older catalogue `manifests/datasets.yaml`. */
export const DATASETS_FOLDER = 'manifests/datasets'

/**
 * Datasets of a person's own: a folder each, `datasets/<id>/`, with `dataset.yaml` and `documents/`. They are git-ignored and belong to no
 * published ladder (decision 090).
 */
export const OWN_DATASETS_FOLDER = 'datasets'
export const OWN_DATASET_FILE = 'dataset.yaml'
export const OWN_DOCUMENTS_FOLDER = 'documents'

/** First part of a corpus path below the folder of a person's own datasets instead of `corpus/`, where no folder has this name. */
export const OWN_CORPUS = '@datasets'

/** Returns true when a manifest declares one dataset with everything about it, not the older catalogue. */
export const isDatasetFile = (file: string): boolean =>
  file.startsWith(`${DATASETS_FOLDER}/`) || file.startsWith(`${OWN_DATASETS_FOLDER}/`)

/** Describes what the last publication of a dataset left in `docs/results/`; written by `publish`, no part of the configuration hash. */
export const PublishedRun = z.strictObject({
  run_id: Identifier,
  ingestion: z
    .strictObject({ job_id: z.string(), profile: Identifier, revision: z.string(), content_digest: z.string() })
    .nullable(),
  artifacts: z.array(z.strictObject({ file: SafeRelativePath, sha256: Sha256 })),
  /** Digests of the code and data that made the run, by file or folder: its age can be told where git no longer has the commit. */
  made_by: z.record(z.string(), Sha256).optional(),
})
export type PublishedRun = z.infer<typeof PublishedRun>

export const Dataset = z.strictObject({
  id: Identifier,
  label: z.string().min(1),
  description: z.string(),
  /** The level as its author declares it: 1 is flat text, higher is meant to be more relational; `measured_level` of a result says what was measured. */
  complexity_level: z.int().min(0).max(99),
  corpus_path: SafeRelativePath,
  queries_file: SafeRelativePath,
  ingestion_profile: Identifier,
  published: PublishedRun.optional(),
})
export type Dataset = z.infer<typeof Dataset>

/** Describes how a dataset's documents are ingested; what is not given is what the other datasets of the ladder use. */
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
  /** Holds what the graph engine looks for in these documents; its own list unless given. */
  entity_types: EntityTypes.optional(),
})

const described = {
  label: z.string().min(1),
  description: z.string().default(''),
  /** Terms under which the documents may be used and passed on; for people. */
  licence: z.string().min(1).optional(),
  /** The level as its author declares it: 1 is flat text, higher is meant to be more relational; 0 is not part of a full run. */
  complexity_level: z.int().min(0).max(99).default(0),
  profile: OwnProfile.prefault({}),
}

/** `manifests/datasets/<id>.yaml`: everything about one dataset except its documents. The file's name is the dataset's id. */
export const DatasetFile = versioned({
  ...described,
  /** Folder of the documents; `corpus/<id>` unless given. */
  documents: SafeRelativePath.refine(
    (path) => path.startsWith('corpus/'),
    'expected a folder below corpus/',
  ).optional(),
  questions: Questions,
  published: PublishedRun.optional(),
})
export type DatasetFile = z.infer<typeof DatasetFile>

/** Folder of `<dataset>.yaml` files with questions of the project's datasets in other words. */
export const PARAPHRASES_FOLDER = 'manifests/paraphrases'
/** Ending of the id of the dataset that asks the questions of another in other words. */
export const PARAPHRASED = '_paraphrased'

/** `manifests/paraphrases/<dataset>.yaml`: other words for questions of a dataset, by their ids. */
export const ParaphraseFile = versioned({
  dataset_id: Identifier,
  paraphrases: z.record(Identifier, z.string().min(1).max(8000)),
})
export type ParaphraseFile = z.infer<typeof ParaphraseFile>

/** Describes where an imported dataset comes from, and what was taken of it: the same import of the same files gives the same dataset. */
export const ImportedFrom = z.strictObject({
  /** Id of the format, such as `musique`. */
  format: z.string().min(1),
  /** States where its authors publish it. */
  url: z.string().optional(),
  files: z.array(z.strictObject({ name: z.string().min(1), sha256: Sha256 })),
  split: z.string().min(1).optional(),
  seed: z.int().min(0),
  questions: z.strictObject({ taken: z.int().min(0), of: z.int().min(0) }),
  documents: z.strictObject({ taken: z.int().min(0), of: z.int().min(0) }),
})
export type ImportedFrom = z.infer<typeof ImportedFrom>

/** `datasets/<id>/dataset.yaml`: the same of a person's own dataset, which may have no question yet. */
export const OwnDatasetFile = versioned({
  ...described,
  imported_from: ImportedFrom.optional(),
  questions: QuestionList,
})
export type OwnDatasetFile = z.infer<typeof OwnDatasetFile>

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

/** The same of a person's own dataset. */
export function ownDatasetOf(
  id: string,
  { label, description, complexity_level, profile, questions }: OwnDatasetFile,
): { dataset: Dataset; profile: IngestionProfile; questions: Question[] } {
  const folder = `${OWN_DATASETS_FOLDER}/${id}`
  return {
    dataset: {
      id,
      label,
      description,
      complexity_level,
      corpus_path: `${folder}/${OWN_DOCUMENTS_FOLDER}`,
      queries_file: `${folder}/${OWN_DATASET_FILE}`,
      ingestion_profile: id,
    },
    profile: {
      name: id,
      corpus: { source: 'mount', path: `${OWN_CORPUS}/${id}/${OWN_DOCUMENTS_FOLDER}` },
      ...profile,
    },
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
