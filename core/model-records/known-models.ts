// Keeps what is known of models at service addresses, for all roles and for the next start: one small file for each model. A file is
// written whole beside its place and moved in; what two processes learn of one model at the same time is joined.
import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ModelRecord, type LearnedOfModel } from '../../contract/manifests/model-record.ts'
import { jsonIn } from '../json.ts'
import { fitRequest, learnedFrom } from './request-fields.ts'

type Body = Record<string, unknown>

/** The status of a refusal for want of credit. */
const PAYMENT_REQUIRED = 402

/** Folder of the records, in the state folder of a project. */
export const MODEL_RECORDS_FOLDER = 'model-records'

/** The operator of a service can raise it. */
type Limit = 'context_window' | 'max_output_tokens'
const WITHOUT: Readonly<Record<Limit, LearnedOfModel>> = {
  context_window: { context_window: null },
  max_output_tokens: { max_output_tokens: null },
}

/** One model at an address, as this process knows it. */
export class KnownModel {
  #record: ModelRecord
  readonly #file: string | null
  /** True once the record is in its file, false when it cannot be written; null before. */
  #isStored: boolean | null
  /** Limits that this process has learned. Others are from an earlier process. */
  readonly #ownLimits = new Set<string>()
  /** Most tokens of an answer that the credit of the account pays for. A payment raises it, so it is not stored. */
  #affordable: number | null = null

  constructor(address: string, model: string, file: string | null) {
    this.#file = file
    const stored = readRecord(file)
    this.#isStored = stored === null ? null : true
    const learned_at = new Date().toISOString()
    this.#record = stored ?? ModelRecord.parse({ version: 1, address: plain(address), model, learned_at })
  }

  get record(): Readonly<ModelRecord> {
    return this.#record
  }

  refuses(field: string): boolean {
    return Object.hasOwn(this.#record.refused, field)
  }

  /** The request as this model takes it. */
  fit(body: Body): Body {
    const most = [this.#record.max_output_tokens, this.#affordable].filter((limit) => limit !== null)
    return fitRequest({ ...this.#record, max_output_tokens: most.length === 0 ? null : Math.min(...most) }, body)
  }

  /** True for a limit that an earlier process has learned. The service may have been started with a larger one since. */
  isKept(limit: Limit): boolean {
    return this.#record[limit] !== null && !this.#ownLimits.has(limit)
  }

  /** Drops a limit that an earlier process has learned, so that the next answer teaches it again; false where this process has learned it. */
  dropKept(limit: Limit): boolean {
    if (!this.isKept(limit)) return false
    this.learn(WITHOUT[limit])
    return true
  }

  /** Drops the output limit of an earlier process where this request asks for a longer answer. */
  dropExceeded(body: Body): void {
    const most = this.#record.max_output_tokens
    const wanted = [body['max_tokens'], body['max_completion_tokens']]
    if (most !== null && wanted.some((limit) => typeof limit === 'number' && limit > most))
      this.dropKept('max_output_tokens')
  }

  /** Takes over what other processes have stored of this model; its limits are unknown again where it was forgotten. */
  refresh(): void {
    this.#record = this.#stored()
  }

  #stored(): ModelRecord {
    const stored = this.#isStored === false ? null : readRecord(this.#file)
    return (
      stored ??
      (this.#isStored === true ? { ...this.#record, context_window: null, max_output_tokens: null } : this.#record)
    )
  }

  /** Learns from a refusal of this request; false where the same request would be refused again. */
  learnRefusal(refusal: { status: number | null; text: string; param: string | null }, sent: Body): boolean {
    // Another call has learned meanwhile what this one, sent before that, was refused for.
    if (!isDeepStrictEqual(this.fit(sent), sent)) return true
    const learned = learnedFrom(this.#record, refusal, sent)
    if (learned === null) return false
    if (refusal.status === PAYMENT_REQUIRED) this.#affordable = learned.max_output_tokens ?? null
    else this.learn(learned)
    return true
  }

  learn(change: LearnedOfModel): void {
    for (const limit of Object.keys(WITHOUT)) if (Object.hasOwn(change, limit)) this.#ownLimits.add(limit)
    if (isDeepStrictEqual(joined(this.#record, change), this.#record)) return
    this.#record = { ...joined(this.#stored(), change), learned_at: new Date().toISOString() }
    if (this.#file !== null) this.#isStored = write(this.#file, this.#record)
  }
}

/** Lists are joined, everything else is as it was learned last. */
const joined = (record: ModelRecord, change: LearnedOfModel): ModelRecord => ({
  ...record,
  ...change,
  refused: { ...record.refused, ...change.refused },
  finish_reasons: [...new Set([...record.finish_reasons, ...(change.finish_reasons ?? [])])],
})

/** The models of a process. Without a folder they are known until it ends. */
export class KnownModels {
  readonly #known = new Map<string, KnownModel>()
  readonly #folder: string | null

  constructor(folder: string | null = null) {
    this.#folder = folder
  }

  of(address: string, model: string): KnownModel {
    const name = fileName(address, model)
    const known =
      this.#known.get(name) ?? new KnownModel(address, model, this.#folder === null ? null : join(this.#folder, name))
    this.#known.set(name, known)
    return known
  }

  /** The records of all models that were asked for. */
  records(): ModelRecord[] {
    return [...this.#known.values()].map(({ record }) => record)
  }
}

/** The kept record of a model; null where nothing is known of it. */
export const keptRecord = (folder: string, address: string, model: string): ModelRecord | null =>
  readRecord(join(folder, fileName(address, model)))

export function keptRecords(folder: string): ModelRecord[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    // Nothing was learned yet.
  }
  return names
    .flatMap((name) => (name.endsWith('.json') ? (readRecord(join(folder, name)) ?? []) : []))
    .toSorted((one, other) => one.model.localeCompare(other.model))
}

/** Deletes what is known of a model. A process that runs keeps what it knows until it ends, but for the limits. */
export const forgetModel = (folder: string, { address, model }: Pick<ModelRecord, 'address' | 'model'>): void =>
  rmSync(join(folder, fileName(address, model)), { force: true })

/** An address without credentials, as it may be kept and shown. */
function plain(address: string): string {
  if (!URL.canParse(address)) return address
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

const fileName = (address: string, model: string): string =>
  `${hash('sha256', `${plain(address)}\n${model}`).slice(0, 32)}.json`

function readRecord(file: string | null): ModelRecord | null {
  if (file === null) return null
  try {
    return ModelRecord.safeParse(jsonIn(readFileSync(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}

/** Returns false for a record that cannot be written: it is learned again at the next start. */
function write(file: string, record: ModelRecord): boolean {
  const aside = `${file}.${randomUUID()}.new`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(aside, `${JSON.stringify(record, null, 2)}\n`)
    renameSync(aside, file)
    return true
  } catch {
    discard(aside)
    return false
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Its folder is none.
  }
}
