// What is known of the models at service addresses, for all roles of a process and for its next start: one small file for each model. A file is
// written whole beside its place and moved in; what two processes learn of one model at the same time is joined.
import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ModelRecord, type LearnedOfModel } from '../../contract/manifests/model-record.ts'
import { jsonIn } from '../json.ts'
import { fitRequest, learnedFrom } from './request-fields.ts'

type Body = Record<string, unknown>

/** Folder of the records, in the state folder of a project. */
export const MODEL_RECORDS_FOLDER = 'model-records'

/** One model at an address, as this process knows it. */
export class KnownModel {
  #record: ModelRecord
  readonly #file: string | null

  constructor(address: string, model: string, file: string | null) {
    this.#file = file
    const learned_at = new Date().toISOString()
    this.#record = readRecord(file) ?? ModelRecord.parse({ version: 1, address: plain(address), model, learned_at })
  }

  get record(): Readonly<ModelRecord> {
    return this.#record
  }

  refuses(field: string): boolean {
    return Object.hasOwn(this.#record.refused, field)
  }

  /** The request as this model takes it. */
  fit(body: Body): Body {
    return fitRequest(this.#record, body)
  }

  /** Learns from a refusal of this request; false where the same request would be refused again. */
  learnRefusal(refusal: { status: number | null; text: string; param: string | null }, sent: Body): boolean {
    // Another call has learned meanwhile what this one, sent before that, was refused for.
    if (!isDeepStrictEqual(this.fit(sent), sent)) return true
    const learned = learnedFrom(this.#record, refusal, sent)
    if (learned !== null) this.learn(learned)
    return learned !== null
  }

  learn(change: LearnedOfModel): void {
    if (isDeepStrictEqual(joined(this.#record, change), this.#record)) return
    const next = joined(readRecord(this.#file) ?? this.#record, change)
    this.#record = { ...next, learned_at: new Date().toISOString() }
    if (this.#file !== null) write(this.#file, this.#record)
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

/** Deletes what is known of a model. A process that runs keeps what it knows until it ends. */
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

/** A record that cannot be written is learned again at the next start. */
function write(file: string, record: ModelRecord): void {
  const aside = `${file}.${randomUUID()}.new`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(aside, `${JSON.stringify(record, null, 2)}\n`)
    renameSync(aside, file)
  } catch {
    discard(aside)
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Its folder is none.
  }
}
