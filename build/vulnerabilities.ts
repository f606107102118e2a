import { execFile } from 'node:child_process'

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

/** Asks the registry for advisories against the production dependencies of the lock file. */
export async function knownVulnerabilities(): Promise<Vulnerabilities> {
  const text = await new Promise<string>((resolve) => {
    const shell = process.platform === 'win32'
    execFile('npm', ['audit', '--omit=dev', '--json'], { shell, timeout: 60_000 }, (_, stdout) => resolve(stdout))
  })
  return readAudit(text)
}
