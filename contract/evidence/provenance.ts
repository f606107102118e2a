import { z } from 'zod'
import { Identifier, Sha256 } from '../common.ts'

/** The ingestion that the answers were retrieved from; the first four are carried into every artifact. */
export const IngestionProvenance = z.strictObject({
  job_id: z.string().min(1),
  profile: Identifier,
  revision: z.string().min(1),
  content_digest: z.string().min(1),
  /** Who ran the job: this run's platform, or another one before it. */
  mode: z.enum(['platform', 'external']),
})
export type IngestionProvenance = z.infer<typeof IngestionProvenance>

/**
 * Returns what a file adds to the text whose SHA-256 is the content digest of a corpus. The files are sorted by path in code units, path below the corpus
 * folder with forward slashes; names that begin with a dot are left out.
 */
export const corpusDigestLine = (path: string, sha256: string): string => `${path}\0${sha256}\n`

export const GitState = z.strictObject({
  revision: z.string().nullable(),
  /** Null: unknown. Rows stored outside git before that was recorded hold false. */
  dirty: z.boolean().nullable(),
  /** Hash of the uncommitted change (what runs write left out); null when the tree is clean or the change is unknown. */
  patch_sha256: Sha256.nullable(),
})
export type GitState = z.infer<typeof GitState>

/** A generated or consumed file with its hash and the names of its entries. */
export const RuntimeFile = z.strictObject({ path: z.string(), sha256: Sha256, entries: z.array(z.string()) })
export type RuntimeFile = z.infer<typeof RuntimeFile>

/** Which model answered each role, as the platform resolved it. */
export const ResolvedModels = z.strictObject({
  set: Identifier,
  roles: z.record(
    z.string(),
    z.strictObject({
      backend: z.string(),
      model: z.string(),
      /** Declared settings that can change what it answers; absent where there are none, and in rows from before they were recorded. */
      settings: z.record(z.string(), z.json()).optional(),
    }),
  ),
})
export type ResolvedModels = z.infer<typeof ResolvedModels>

const RuntimeProvenance = z.strictObject({
  repository: GitState,
  /** Version of the platform and, where it reports one, its revision. */
  platform: z.strictObject({ version: z.string().nullable(), revision: z.string().nullable() }),
  project: Identifier,
  /** States where the gateway is: `embedded`, or the external base address without credentials. */
  gateway: z.string(),
  /** Declared base port; null when the platform picked free ones. */
  base_port: z.int().nullable(),
  /** Provider name → selected source, such as `converter: disabled`. */
  providers: z.record(z.string(), z.string()),
  models: ResolvedModels.nullable(),
  judge_panel: z.strictObject({ enabled: z.boolean(), endpoint: z.string(), models: z.array(z.string()) }),
  runtime_files: z.array(RuntimeFile),
  /** The metric that was declared to decide about the run, before its first cell; absent where none was. */
  primary_metric: z.string().optional(),
  /** Answers that a limit of tokens cut have no score; absent where they are scored as they are. */
  excludes_cut_answers: z.literal(true).optional(),
  /** Tokens that every approach was asked to hand to the answerer; absent where approaches ran as they are declared. */
  context_budget: z.int().min(1).optional(),
})

/** Everything that must be equal for two rows of one artifact. */
export const Reproducibility = z.strictObject({
  seed: z.string(),
  config_hashes: z.record(z.string(), Sha256),
  ingestion: IngestionProvenance.nullable(),
  runtime: RuntimeProvenance,
})
export type Reproducibility = z.infer<typeof Reproducibility>
