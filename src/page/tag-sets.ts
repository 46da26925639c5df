// Sets of tags, roles, types and displays that several page functions distinguish.

export const PAGE_TAGS = new Set<string>(['html', 'body']);
export const TEXT_FIELD_TAGS = new Set<string>(['input', 'textarea']);
export const FRAME_TAGS = new Set<string>(['iframe', 'frame']);
export const CHECKABLE_TYPES = new Set<string>(['checkbox', 'radio']);
export const TEXTBOX_ROLES = new Set<string>(['textbox', 'searchbox']);
export const PRESENTATION_ROLES = new Set<string>(['none', 'presentation']);
export const BOXLESS_DISPLAYS = new Set<string>(['none', '']);
export const FIELD_TAGS = new Set<string>(['input', 'textarea', 'select']);
