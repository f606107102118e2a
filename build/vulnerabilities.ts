import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import list from './known-vulnerabilities.json' with { type: 'json' }

interface AuditReport {
  error?: { code?: string; summary?: string }
  message?: string
  vulnerabilities?: Record<
    string,
    { severity: string; range?: string; via: (string | { title?: string; url?: string })[] }
  >
}

/** Known vulnerabilities of the packages that the app ships; or why the registry could not be asked. */
type Vulnerabilities = { known: true; problems: string[] } | { known: false; reason: string }

/** Reads what `npm audit --json` printed. A registry without advisory data is not a clean result. */
export function readAudit(text: string): Vulnerabilities {
  let report: AuditReport
  try {
    report = JSON.parse(text) as AuditReport
  } catch {
    return { known: false, reason: 'npm audit printed no JSON' }
  }
  if (report.vulnerabilities === undefined)
    return { known: false, reason: report.message ?? report.error?.summary ?? 'the registry gave no advisory data' }
  const problems = Object.entries(report.vulnerabilities).map(([name, { severity, range, via }]) => {
    const advisories = via.map((each) => (typeof each === 'string' ? `through ${each}` : `${each.title} ${each.url}`))
    return `${name} ${range ?? ''}: ${severity}: ${advisories.join('; ')}`
  })
  return { known: true, problems }
}

interface Advisory {
  package: string
  /** First version that has it; the first of all where there is none. */
  from?: string
  /** First version without it. */
  below: string
  advisory: string
  what: string
}

interface LockFile {
  packages: Record<string, { version?: string; dev?: boolean }>
}

/** Major, minor and patch; what follows a hyphen is left out. */
const partsOf = (version: string): number[] => version.split('-', 1)[0]!.split('.').map(Number)

function isBelow(version: string, limit: string): boolean {
  const [own, other] = [partsOf(version), partsOf(limit)]
  const first = own.findIndex((part, index) => part !== other[index])
  return first >= 0 && own[first]! < other[first]!
}

/** Shipped packages of the lock file that an advisory of the list names. */
export function listedVulnerabilities({ packages }: LockFile, advisories: readonly Advisory[]): string[] {
  return Object.entries(packages).flatMap(([path, { version, dev }]) => {
    if (version === undefined || dev === true || path === '') return []
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return advisories
      .filter(({ package: named, from, below }) => {
        const isOlder = from !== undefined && isBelow(version, from)
        return named === name && !isOlder && isBelow(version, below)
      })
      .map(({ advisory, what, below }) => `${path} ${version}: ${what} (${advisory}): update it to ${below} or later`)
  })
}

/** Compares the lock file with the list in the repository, for a registry that gives no advisories. */
export function vulnerabilitiesOfList(): { problems: string[]; note: string } {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile
  const note = `none of the ${list.advisories.length} advisories listed on ${list.date}`
  return { problems: listedVulnerabilities(lock, list.advisories), note }
}

/** Asks the registry for advisories against the production dependencies of the lock file. */
export async function knownVulnerabilities(): Promise<Vulnerabilities> {
  const text = await new Promise<string>((resolve) => {
    const shell = process.platform === 'win32'
    execFile('npm', ['audit', '--omit=dev', '--json'], { shell, timeout: 60_000 }, (_, stdout) => resolve(stdout))
  })
  return readAudit(text)
}
