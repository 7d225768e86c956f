-- The list of all public repositories passes over the others without reading them.
create index repositories_public on repositories (id) where visibility = 'public';
