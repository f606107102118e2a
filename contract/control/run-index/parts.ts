import { z } from 'zod'
import { count } from '../../common.ts'

// The answers of the index are built from these; they are not part of the contract by itself.

export const counts = <Key extends z.core.$ZodRecordKey>(key: Key) => z.record(key, count)

/** A run's or dataset's name as its files record it: historical snapshots may use any text. */
export const Name = z.string().min(1).max(512)

export const notFound = z.strictObject({ ok: z.literal(false), code: z.literal('not_found'), message: z.string() })

export const aliasList = z.array(Name).min(1).max(64)
export const runDataset = { run_id: Name, dataset_id: Name }
