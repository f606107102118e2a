import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { SettingsTab } from '../app/search-params.ts'
import { Loaded, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { ConnectionsPanel } from '../features/settings/connections-panel.tsx'
import { EngineForm } from '../features/settings/engine-form.tsx'
import { IndexPanel } from '../features/settings/index-panel.tsx'
import { SecretsPanel } from '../features/settings/secrets-panel.tsx'
import { SETTINGS_PARTS, SETTINGS_WORDS } from '../features/settings/settings-words.ts'
import { usePreferences } from '../stores/preferences.ts'

const WORDS = SETTINGS_WORDS.page

/** Look, endpoints, secrets, and the index; the tab is part of the link. */
export function SettingsPage() {
  const { tab = 'models' } = useSearch({ from: '/settings' })
  const navigate = useNavigate({ from: '/settings' })
  const settings = useQuery(api.settings.get.queryOptions())
  const { data } = settings
  // Hidden, not taken away: what was typed there stays.
  const panel = (value: SettingsTab) => ({ className: 'stack', hidden: tab !== value })
  return (
    <Page
      title={WORDS.settings}
      aside={
        <SegmentedControl
          size="xs"
          aria-label={WORDS.parts}
          data={SETTINGS_PARTS}
          value={tab}
          onChange={(value) => void navigate({ search: { tab: value } })}
        />
      }
    >
      <div {...panel('look')}>
        <LookPanel />
      </div>
      {tab !== 'look' && <Loaded query={settings} what={WORDS.theSettings} rows={12} height={40} />}
      {data !== undefined && (
        <>
          <div {...panel('models')}>
            <EngineForm view={data} />
            <ConnectionsPanel />
          </div>
          <div {...panel('tokens')}>
            <SecretsPanel view={data} />
          </div>
          <div {...panel('data')}>
            <IndexPanel folders={data.folders} />
          </div>
        </>
      )}
    </Page>
  )
}

const LOOK = SETTINGS_WORDS.lookPanel

/** Light or dark, wide or dense; kept in this browser. */
function LookPanel() {
  // Holding transitions back would write a `<style>` element, which the content-security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  const { density, setDensity } = usePreferences()
  return (
    <Panel title={LOOK.look}>
      <div className="row">
        <SegmentedControl
          size="xs"
          aria-label={LOOK.colours}
          data={[
            { value: 'auto', label: LOOK.asTheSystem },
            { value: 'light', label: LOOK.light },
            { value: 'dark', label: LOOK.dark },
          ]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
        />
        <SegmentedControl
          size="xs"
          aria-label={LOOK.density}
          data={[
            { value: 'comfortable', label: LOOK.comfortable },
            { value: 'compact', label: LOOK.compact },
          ]}
          value={density}
          onChange={(value) => setDensity(value)}
        />
      </div>
    </Panel>
  )
}
