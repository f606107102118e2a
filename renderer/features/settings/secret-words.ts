import type { SettingsView } from '../../../contract/control/settings.ts'

/** Where a token is now: what the engine says of it, and whether the desktop app keeps it too. */
export function secretPlace(source: SettingsView['secrets'][keyof SettingsView['secrets']], isKept: boolean): string {
  if (source === 'session') return isKept ? 'kept in this system’s secret store' : 'kept until the engine ends'
  if (isKept) return 'kept in this system’s secret store; the engine gets it when it starts next'
  return source === 'environment' ? 'from the environment' : 'not set'
}

/** What happens with a token that is set here. */
export function secretFate(keepsSecrets: boolean | null): string {
  if (keepsSecrets === null)
    return 'From a browser a token goes to the engine only, which forgets it when it ends. The desktop app keeps tokens in the system’s secret store.'
  if (keepsSecrets)
    return 'The desktop app keeps a token encrypted by this system’s secret store and gives it to the engine whenever that starts.'
  return 'This system offers no secret store, so the engine forgets a token when it ends. Set it in the environment to have it at each start.'
}
