// The files of the dashboard's page as texts; the build bundles src/frontends/dashboard/web.
declare module 'dashboard-page' {
  export const PAGE_SCRIPT: string;
  export const PAGE_STYLE: string;
  export const PAGE_ICON: string;
}
