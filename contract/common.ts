import { z } from 'zod'
import { EVALUATION_METRICS, PRIMARY_METRICS } from './metrics/metrics.ts'

/** Version of every manifest, row and artifact schema in this folder. */
export const SCHEMA_VERSION = 1

/** States whether an approach's answers carry the text passages they were written from. */
export const EvidenceCapability = z.enum(['answer_with_contexts', 'answer_only'])
export type EvidenceCapability = z.infer<typeof EvidenceCapability>

export const EvaluationMetric = z.enum(EVALUATION_METRICS)
export type EvaluationMetric = z.infer<typeof EvaluationMetric>

/** The metric that decides about a run. */
export const PrimaryMetric = z.enum(PRIMARY_METRICS)
export type PrimaryMetric = z.infer<typeof PrimaryMetric>

/** Identifier of a dataset, question, profile or alias: letters, digits, `_`, `-` and `.`; 1 to 128 characters. */
export const Identifier = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, 'letters, digits, "_", "-" and "." only')

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
export const Crc32 = z.string().regex(/^[0-9a-f]{8}$/, 'a CRC-32 in lower-case hex')

/** A relative path with forward slashes that stays below the folder it is relative to. */
export const SafeRelativePath = z
  .string()
  .min(1)
  .max(1024)
  .refine(
    (path) =>
      !path.startsWith('/') && !path.includes('\\') && !path.split('/').some((part) => part === '..' || part === ''),
    'a relative path with forward slashes and without ".."',
  )

const saysItsVersion = (value: unknown): boolean => {
  const { version, schema_version: schemaVersion } = value as { version?: number; schema_version?: number }
  return version === SCHEMA_VERSION || schemaVersion === SCHEMA_VERSION
}

/** A manifest states its version as `version` or `schema_version`; one of them must be there, and both must be 1. */
export const versioned = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject({ version: z.literal(1).optional(), schema_version: z.literal(1).optional(), ...shape })
    .refine(saysItsVersion, { path: ['version'], message: 'version: 1 (or schema_version: 1) is required' })

/** Counts things, from 0. */
export const count = z.int().min(0)
